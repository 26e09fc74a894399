"""Model of the store and of a disk, and the search of all states that programs on one home can reach."""
