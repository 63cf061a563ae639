"""What the project means: link, models, summaries, flow."""
