"""Evaluation of finished sessions: ratings, statistics and reviews of decisions."""
