"""The measure of review quality: cases with known defects, reviewed in batch, and what came of it."""
