"""A Textual program in a browser tab: the page, the program itself, and which pages may open it."""
