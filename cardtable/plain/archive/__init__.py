"""Archive in plain text: find sessions, and show, replay, review or export them."""
