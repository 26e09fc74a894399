"""Painting of the table screen."""
