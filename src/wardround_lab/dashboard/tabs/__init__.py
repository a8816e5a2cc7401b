"""The tabs of the dashboard, one module each."""
