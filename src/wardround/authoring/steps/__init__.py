"""The steps from a task to a packet, one module each, in the order in which ``loop`` takes them."""
