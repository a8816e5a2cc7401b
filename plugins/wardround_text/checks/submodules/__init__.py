"""Rules about git submodules."""
