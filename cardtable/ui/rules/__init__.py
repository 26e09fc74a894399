"""The rules page of a game."""
