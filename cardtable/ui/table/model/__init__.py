"""What goes on at the table: the session as it runs, and what is shown of it."""
