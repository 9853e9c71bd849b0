"""The commands of `./bench ci`, one file for each matter."""
