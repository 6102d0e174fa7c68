"""Deciding: state, accounts, picking, allocation. No I/O, no wall clock, no logging."""
