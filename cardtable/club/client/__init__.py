"""Client side of a club, with the connection, the sessions played at the host and downloads of finished sessions."""
