"""The processes beside the program: robots, ratings, reviews."""
