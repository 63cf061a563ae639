"""Counted references of the C API."""
