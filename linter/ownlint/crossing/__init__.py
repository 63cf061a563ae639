"""What one side of the border tells the other: exports, contracts, tables."""
