"""Decoders on this machine: loaded from an ONNX folder, and run without a network."""

LOCAL_PREFIX = "local:"
"""The prefix of the name of a decoder on this machine, where a configuration names a model."""
