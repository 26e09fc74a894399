"""Archive in plain text: finding sessions, and showing, replaying, reviewing or exporting them."""
