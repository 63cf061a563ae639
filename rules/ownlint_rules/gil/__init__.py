"""The interpreter's lock: what runs Python without it, what waits with it, and what outlives the interpreter."""
