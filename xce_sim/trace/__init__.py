"""The decision trace: records, their recorder, store and lines."""
