"""The archive: records of sessions, the history of many sessions, and the data branch where records are published."""
