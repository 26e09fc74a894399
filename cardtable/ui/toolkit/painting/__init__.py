"""What everything on a screen is painted with: the canvas, cards, charts, columns, lines of text, themes."""
