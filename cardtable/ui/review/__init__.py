"""The review of a session."""
