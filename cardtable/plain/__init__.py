"""Plain-text front end: prints and reads lines, for screen readers, pipes and slow links."""
