"""Commands: typed functions that return results; nothing is printed here."""
