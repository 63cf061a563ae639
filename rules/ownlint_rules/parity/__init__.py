"""Code that is written several times, for several backends or over time."""
