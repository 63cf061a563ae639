"""What code does, whatever the kind of object: conditions, holders, duties, containers."""
