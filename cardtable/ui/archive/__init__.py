"""Pages for the archive of all sessions, and for their export."""
