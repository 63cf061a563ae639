"""Dangling pointers, references and views, and use after move."""
