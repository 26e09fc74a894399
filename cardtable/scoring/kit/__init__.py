"""Building blocks of a game's score sheet."""
