"""The GIL: Python used without it, deadlocks on it, and objects that outlive the interpreter."""
