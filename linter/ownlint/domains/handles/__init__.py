"""Handles in Python: who owns them, and what ends them."""
