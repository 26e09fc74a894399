"""Texts shared by all front ends: names, points, log messages, score sheets, reviews."""
