"""The replay of a session."""
