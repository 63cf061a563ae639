"""Data races, deadlocks and check-then-act errors."""
