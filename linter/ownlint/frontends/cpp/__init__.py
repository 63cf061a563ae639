"""C++: tree-sitter reads what was written, libclang says what it means."""
