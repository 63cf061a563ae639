"""Delivery tour planning."""
