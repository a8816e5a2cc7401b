"""Published surfaces, on which code outside of the repository relies, and their changes; a module for each kind."""
