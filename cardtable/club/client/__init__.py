"""Client side of a club: the connection, sessions played at the host, and downloads of finished sessions."""
