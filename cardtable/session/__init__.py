"""Runs a session without a screen, at home or at a club."""
