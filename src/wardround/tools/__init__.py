"""Running static tools: what a tool is, how its process is started, how its answers are kept."""
