"""Resources: who has to release what was acquired, and whether somebody does."""
