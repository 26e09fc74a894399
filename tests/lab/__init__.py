"""Laboratory: long runs, fuzzing, planted faults and models, each with a command of its own (docs/testing.md)."""
