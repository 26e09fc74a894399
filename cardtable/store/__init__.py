"""Storage of sessions, settings and profiles: the only package that reads and writes the disk."""
