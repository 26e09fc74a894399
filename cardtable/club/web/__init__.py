"""A program that is shown in a browser: the page, a tab, the program itself, and which pages may open it."""
