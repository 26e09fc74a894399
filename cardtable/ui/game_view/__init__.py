"""What a game's part of the table screen is made of."""
