"""A club at another machine, in plain lines."""
