"""Replay files: schema, codec, reader, writer, text form, checks, imports."""
