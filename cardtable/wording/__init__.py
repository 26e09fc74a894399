"""What every front end tells in the same words: people, points, messages, what happened."""
