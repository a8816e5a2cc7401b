"""From findings to what may happen: gate, suppressions, baseline. Values in, values out."""
