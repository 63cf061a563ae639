"""Raw memory in Python: buffers, addresses and views that outlive their memory."""
