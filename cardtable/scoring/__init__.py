"""Scoring of games played with real cards: the questions after each round, and the resulting points."""
