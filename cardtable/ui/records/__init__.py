"""Rankings and statistics."""
