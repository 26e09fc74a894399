"""What the coach says of each game: its aims, and what choices do, in words."""
