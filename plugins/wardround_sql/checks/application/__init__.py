"""Rules about SQL in application code: ORMs and query builders."""
