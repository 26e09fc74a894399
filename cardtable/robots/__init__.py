"""Robots: pure functions of a view and a random generator."""
