"""Evaluation of review quality: batch reviews of cases with known defects, and their scores."""
