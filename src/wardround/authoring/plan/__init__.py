"""The plan of a task, which a patch author, human or model, starts from."""
