"""Rules about what an image is built from and how it starts and stops."""
