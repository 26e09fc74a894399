"""Pages of the club: the lobby, the table of a guest, and opening a club on this machine."""
