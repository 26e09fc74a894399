"""The pure engine: no files, clock, threads, global randomness or screens."""
