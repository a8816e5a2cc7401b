"""Views: what the stores contain, as values and rows; without Gradio."""
