"""Pages of the club: lobby, guest table, opening a club on this machine."""
