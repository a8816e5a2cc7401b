"""Running models where the review runs: numpy, onnxruntime and tokenizers, nothing to train with."""
