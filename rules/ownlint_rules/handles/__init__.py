"""Python handles of native objects that are used after they were invalidated."""
