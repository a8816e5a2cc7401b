"""The reports of a plan and of a run."""
