"""Actions: what a page may change, each by the functions of the commands; without Gradio."""
