"""Texts for all front ends: names, points, log messages, score sheets and reviews."""
