"""Terminal or browser around the program: drivers, input parser, keyboard layouts, signals and capabilities."""
