"""A session as it runs and as it is told again, without words: they are made in ``wording``."""
