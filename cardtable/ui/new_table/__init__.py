"""A new table: who sits where, house rules, the deal."""
