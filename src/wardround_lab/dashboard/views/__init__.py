"""What the tabs show, computed from the stores; importable without Gradio."""
