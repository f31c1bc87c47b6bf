"""Authored problems: what they ask, how they are solved, and how they go wrong."""
