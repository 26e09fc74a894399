"""The terminal: the only code that imports textual and rich."""
