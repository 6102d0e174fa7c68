"""Importers that turn records of other systems into replays."""
