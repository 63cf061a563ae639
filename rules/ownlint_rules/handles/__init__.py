"""Python handles of native objects, and who keeps those alive."""
