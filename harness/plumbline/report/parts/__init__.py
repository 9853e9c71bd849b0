"""From a record and its evidence to the parts of the view, one family of them a file."""
