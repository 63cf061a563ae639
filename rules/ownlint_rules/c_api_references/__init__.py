"""Reference counts in C and C++: leaks, double releases, misuse of borrowed references."""
