"""The doctor: it checks whether this host is fit to measure, condition by condition, with the reading and the command
that repairs each.

Promises: changes nothing on the host, downloads nothing, and calls no condition met that could not be read. Refuses to
mend anything: it names the command, a person runs it. The conditions of the bare host live in `runner-setup/measures`
and know nothing of the harness; what needs the harness (tools, scratch, sets, placement) is checked here.
"""
