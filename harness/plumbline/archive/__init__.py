"""The archive: records of sessions, the history of many, and the data branch where they are published."""
