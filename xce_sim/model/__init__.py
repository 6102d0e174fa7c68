"""Plain values that pass between the packages; no I/O, no decisions."""
