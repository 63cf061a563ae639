"""Readers of a language: bytes in, records out."""
