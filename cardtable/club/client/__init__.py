"""A guest's side of a club: the connection, sessions that are played elsewhere, and downloads of finished ones."""
