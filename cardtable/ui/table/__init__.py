"""The table: one screen for all games."""
