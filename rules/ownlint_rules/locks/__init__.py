"""Locks: what they guard, and what happens between two of them."""
