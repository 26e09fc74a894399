"""Key bindings of each screen, key names, and the guard against unintended input."""
