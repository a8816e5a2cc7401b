"""Files of our own: paths, atomic writes, caches."""
