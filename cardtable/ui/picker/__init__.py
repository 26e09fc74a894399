"""The picker: go on with a session, or begin one."""
