"""The content of the tabs, computed from the stores; importable without Gradio."""
