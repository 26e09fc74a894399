"""Terminal drivers, the parser of terminal input, keyboard layouts, signals and terminal capabilities."""
