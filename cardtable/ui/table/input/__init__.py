"""Keyboard and mouse input at the table."""
