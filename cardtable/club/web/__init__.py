"""Textual program in a browser tab: the page, the process, and the check of a request's origin."""
