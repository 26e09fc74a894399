"""Pages of the club: the lobby, the table screen of a hosted session, and the page that opens a club."""
