"""The JavaScript and TypeScript code under test, and the formats of its tools."""
