"""Arrays whose buffers are donated or deleted, and used afterwards."""
