"""What is kept: the record of a session, the history of many, and the data branch where they are published."""
