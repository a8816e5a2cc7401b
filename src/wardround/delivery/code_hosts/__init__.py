"""GitHub and GitLab as places where a review is posted and its verdict is acted on.

``wardround post`` and ``wardround act`` are the only commands that write there.
"""
