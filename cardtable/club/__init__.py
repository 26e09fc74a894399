"""Network play: the host keeps the sessions, and clients at other machines sit at its tables."""
