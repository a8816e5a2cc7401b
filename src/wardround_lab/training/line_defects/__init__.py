"""Models that classify the changed lines: which is defective, and with which class of defect."""
