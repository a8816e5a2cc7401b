"""Other words for the statements by an endpoint, and the check of their facts."""
