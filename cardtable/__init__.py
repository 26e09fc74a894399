"""A card room in a terminal."""

__version__ = "0.1.0"
