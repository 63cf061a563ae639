"""Raw memory in Python: buffers, bare addresses, and who keeps what they point to."""
