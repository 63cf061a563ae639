"""Counted references in C and C++: who owns one, who only borrowed it."""
