"""What names mean: files joined, classes, functions, types, macros."""
