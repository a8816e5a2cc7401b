"""Results of tools for containers and CI that do not hold, by tool."""
