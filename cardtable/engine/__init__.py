"""Engine of card games, which uses no files, clock, threads, global randomness or screens."""
