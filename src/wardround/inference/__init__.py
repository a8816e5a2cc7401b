"""Running models in a review: numpy, onnxruntime and tokenizers, without training libraries."""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
"""onnxruntime sends telemetry unless this variable is set when it is imported; nothing may be sent."""
