"""What a file says: frozen records, their cache, and how they are shown."""
