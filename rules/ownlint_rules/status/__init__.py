"""Ignored, swallowed and leaked errors, and state that is changed before the call that can fail."""
