"""Keys: what they do on each screen, which have which names, and which of them count."""
