"""The commands: what a user types, and what is told on the terminal."""
