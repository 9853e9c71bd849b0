"""The three ways to hold a process on its CPUs, one file each, behind `place.interface.Placement`."""
