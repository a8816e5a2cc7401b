"""Rules about similar lines and blocks that disagree."""
