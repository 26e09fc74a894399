"""Worker processes: the client that starts one and awaits its answers, and the server inside it."""
