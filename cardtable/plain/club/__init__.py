"""Club client in plain text."""
