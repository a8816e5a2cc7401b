"""The commits of a range: revisions, messages, merges, reverts, and the class of what they change."""
