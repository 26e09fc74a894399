"""Robots, which are pure functions of a view and a random generator; hints, matches, and the robots' worker process."""
