"""Table screen, shared by all games."""
