"""Card games for the terminal: a Textual app over a pure in-process engine."""

__version__ = "1.0.0"
