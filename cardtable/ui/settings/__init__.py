"""What a person has set: on the screen, in the file, and every setting as people read it."""
