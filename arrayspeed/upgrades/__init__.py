"""Two versions of one library: their environments, the statistics of their difference, and the verdict."""
