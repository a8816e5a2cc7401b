"""Acting on the verdict of a review: from the verified verdict to a plan, and from the plan to its record."""
