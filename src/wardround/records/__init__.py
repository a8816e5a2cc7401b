"""The record of a review: signed, stored, verified and replayed."""
