"""Plain-text client of a club, with the lobby and tables over the network."""
