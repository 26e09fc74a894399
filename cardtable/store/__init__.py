"""Files: the only package that reads and writes the disk."""
