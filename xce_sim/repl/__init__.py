"""The loop that reads lines, runs commands and hands results to the renderer."""
