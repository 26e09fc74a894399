"""What the score sheets of all games with real cards are made of."""
