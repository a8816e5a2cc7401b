"""Published surfaces, on which code outside of the repository relies, and how a change alters them."""
