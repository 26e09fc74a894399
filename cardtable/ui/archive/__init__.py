"""The archive of all sessions, and their export."""
