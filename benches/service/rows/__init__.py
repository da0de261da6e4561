"""The rows of the bench, by what they measure; each module gives its own."""
