"""What an edit costs: what was said of a subject is kept until something changes that it was derived from."""
