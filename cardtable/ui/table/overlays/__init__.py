"""What is laid over the table without leaving it."""
