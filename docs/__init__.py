"""The documentation, and in ``site`` the program that makes a site of it."""
