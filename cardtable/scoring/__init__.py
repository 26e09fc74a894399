"""Score sheets for games with real cards: the questions after a round, and the points that result."""
