"""History: what changed from session to session, and which changes somebody has to look at.

Promises that series are compared only within one environment, on the ratio to the control where there is a control, so
that a step of the host is not reported as a step of a subject; and that an alert keeps its id and its state however
often the records are read. Refuses to know how to measure, whether a record is genuine (`verify` does), and what a
change was worth: a candidate is a question for `./bench compare`, never an accusation.
"""
