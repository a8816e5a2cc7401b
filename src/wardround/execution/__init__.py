"""Runs tools and checks: scheduling, processes and forks."""
