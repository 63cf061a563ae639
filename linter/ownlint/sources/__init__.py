"""Which files are read, and how each of them is compiled."""
