"""Values and readers for the judgement of one acceptance criterion."""
