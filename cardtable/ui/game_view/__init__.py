"""Building blocks for a game's part of the table screen."""
