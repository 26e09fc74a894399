"""Terminal drivers, the parser of terminal input, keyboard layouts and terminal capabilities."""
