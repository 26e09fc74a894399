"""The card room in a browser of who has started it: the server, and who is let in."""
