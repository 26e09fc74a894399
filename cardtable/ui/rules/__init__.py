"""Page of the rules of a game."""
