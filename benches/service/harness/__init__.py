"""Measuring things side by side: what every row of the bench needs."""
