"""The requirement language: text to typed, interned expressions and requests."""
