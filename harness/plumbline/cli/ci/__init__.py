"""The commands of `./bench ci`, those of one matter in one file."""
