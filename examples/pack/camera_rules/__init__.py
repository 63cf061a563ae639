"""Rules about the camera library."""
