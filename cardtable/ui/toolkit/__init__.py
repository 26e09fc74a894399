"""The home-made widgets that pages and the table have in common, with the names that such widgets have elsewhere."""
