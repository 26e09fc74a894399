"""Screens of the program; the only package that imports Textual and Rich."""
