"""Page of the replay of a session."""
