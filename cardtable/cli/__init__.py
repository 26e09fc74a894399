"""Command line: the commands with their arguments, and the start and end of the program."""
