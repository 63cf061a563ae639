"""Pointers, references and views, and how long what they lead to lives."""
