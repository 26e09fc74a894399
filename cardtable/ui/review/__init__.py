"""Page of the review of a session."""
