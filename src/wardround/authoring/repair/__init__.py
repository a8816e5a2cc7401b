"""Repair without a language model: edits of suspicious code, validated by failing tests in the sandbox."""
