"""Replays batch scheduling rounds and explains every decision."""

__version__ = "0.1.0"
