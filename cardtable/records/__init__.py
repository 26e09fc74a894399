"""What sessions come to together: ratings, statistics, reviews of what was decided."""
