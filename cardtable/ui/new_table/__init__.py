"""Form for a new table: seats, house rules and deal."""
