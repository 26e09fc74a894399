"""Robots: pure functions of a view and a generator."""
