"""What libraries do, as their models say it: records, reader, look-ups."""
