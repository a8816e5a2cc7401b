"""Programs that run in the sandbox with the interpreter of the project; nothing imports them."""
