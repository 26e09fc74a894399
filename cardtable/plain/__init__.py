"""Plain-text front end: prints and reads lines of text, for screen readers, pipes and slow connections."""
