"""What the searcher is told of each game: how to guess, how to play on, what to consider."""
