"""What others outside of the repository rely on, and how a change alters it; one module for each kind."""
