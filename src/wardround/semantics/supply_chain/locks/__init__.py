"""Readers of lock files, one format family a module."""
