"""What screens are painted with: canvas, cards, charts, lines of text, themes."""
