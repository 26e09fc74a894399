"""Page of the players' profiles."""
