"""Literate tests for rules: Markdown pages, docstring examples, and the form a rule must have.

Shipped so that other people's rules are tested the same way; `docs/testing.md` is the manual.
"""
