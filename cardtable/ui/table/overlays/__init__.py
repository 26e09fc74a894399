"""Overlays of the table screen."""
