"""The contents of a file that checks inspect: scripts, images, variables and mounts."""
