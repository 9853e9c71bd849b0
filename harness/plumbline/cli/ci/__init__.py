"""The commands of `./bench ci`, one file each."""
