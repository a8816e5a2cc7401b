"""The comments of a review on a change request: planned from the report and the state there, then written.

A plan is empty if everything is there already, so a run that is repeated, killed or raced by another writes
nothing twice.
"""
