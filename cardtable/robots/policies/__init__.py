"""What a player who knows the game would do: one rule policy a game."""
