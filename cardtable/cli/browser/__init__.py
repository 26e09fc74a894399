"""The card room in a browser: the server, who is let in, a tab, and the program that is shown in it."""
