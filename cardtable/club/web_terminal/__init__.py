"""Display of a Textual program in a browser tab, with its process and the check of a request's origin."""
