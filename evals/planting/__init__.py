"""The kinds of breaks that ``break_planting.py`` plants."""
