"""The command line: every command with its arguments and what it does, and how the program is opened and ends."""
