"""Code that exists several times, for several backends or over time."""
