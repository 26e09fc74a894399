"""People at other machines: a host keeps the sessions, others sit at its tables."""
