"""Play over a network; a host runs the sessions, and clients at other machines connect to it."""
