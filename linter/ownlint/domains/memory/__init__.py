"""Blocks of memory in C++: what points into them, and what ends them."""
