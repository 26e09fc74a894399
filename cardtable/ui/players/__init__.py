"""The players' profiles, and signing in."""
