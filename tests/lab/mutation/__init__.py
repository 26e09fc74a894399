"""Mutation testing: small faults planted in the program, one at a time, and the tests that find them."""
