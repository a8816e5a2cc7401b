"""Rules about Kubernetes manifests and Helm charts."""
