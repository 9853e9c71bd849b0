"""Make the parts of the view from a record and its evidence, one family of parts in each file."""
