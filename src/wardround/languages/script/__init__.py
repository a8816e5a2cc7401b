"""Parser of JavaScript and TypeScript on tree-sitter."""
