"""Kinds of objects and of states that families of rules ask for."""
