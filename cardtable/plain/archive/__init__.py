"""The archive in lines: every session found, told of, replayed, reviewed and taken elsewhere."""
