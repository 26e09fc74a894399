"""Painting: canvas, card faces, charts, text fitting, layout and themes."""
