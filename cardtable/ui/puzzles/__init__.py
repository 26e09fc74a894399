"""Puzzles: the page that lists them, and the table at which they are solved."""
