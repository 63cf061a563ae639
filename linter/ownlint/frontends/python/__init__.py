"""Reads Python: bytes in, facts out; names are resolved by imports, annotations and definitions."""
