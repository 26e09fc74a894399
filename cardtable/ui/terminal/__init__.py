"""The terminal or browser around the program: signals, sizes, variables, its end."""
