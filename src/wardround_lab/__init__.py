"""Mining, training and evaluation; the engine never imports it."""
