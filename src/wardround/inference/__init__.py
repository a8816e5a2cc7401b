"""Running models where the review runs: numpy, onnxruntime and tokenizers, nothing to train with."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
"""onnxruntime keeps and sends telemetry unless this stands there when it is imported; nothing may be sent."""
