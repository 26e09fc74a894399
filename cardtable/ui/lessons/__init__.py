"""Lessons: pages that list them, and the table at which they are taken."""
