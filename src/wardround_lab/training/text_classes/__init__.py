"""Models that classify short texts: LoRA on a base, a linear model over words, and both together."""
