"""Keys and mouse at the table."""
