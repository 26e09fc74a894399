"""Building blocks for the score sheet of a game: questions and the base classes of sheets."""
