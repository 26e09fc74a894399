"""Worker processes: the client, which starts a process and awaits its answers, and the server inside it."""
