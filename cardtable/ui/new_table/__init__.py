"""The form of a new table: seats, house rules, deal."""
