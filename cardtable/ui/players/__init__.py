"""The players: who there is, and who has signed in."""
