"""Plain-text client of a club: the lobby, and tables over the network."""
