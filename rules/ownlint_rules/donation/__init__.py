"""Rules about arguments whose storage a call takes away."""
