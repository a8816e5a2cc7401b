"""Rules about untrusted data that reaches an interpreter, a path, a page or a parser."""
