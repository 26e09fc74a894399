"""Key bindings: what keys do on each screen, their names, and the guard against stray ones."""
