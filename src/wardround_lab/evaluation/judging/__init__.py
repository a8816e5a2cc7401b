"""Judgements of findings by readers: samples, screens, agreement and rates."""
