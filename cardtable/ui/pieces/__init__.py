"""What a game adds to the one table screen."""
