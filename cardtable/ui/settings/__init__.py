"""Page of the settings."""
