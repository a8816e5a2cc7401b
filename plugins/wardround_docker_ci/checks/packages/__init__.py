"""Rules about packages that an image or a pipeline installs."""
