"""Command line: every command with its arguments, and the start and end of the program."""
