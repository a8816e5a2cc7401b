"""Rules about JSDoc, comments, messages and documentation that contradict the code."""
