"""Compiled robots, which must choose as plain ones do; needs ``make fast``."""
