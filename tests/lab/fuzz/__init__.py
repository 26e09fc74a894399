"""Coverage-guided fuzzing of the readers of files and frames: ``python -m tests.lab.fuzz READER``."""
