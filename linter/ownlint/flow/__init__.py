"""One function, lowered: events in order, ways through it, places. Knows no other function."""
