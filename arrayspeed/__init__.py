"""What asv lacks: the command line, environments, comparisons of versions, and the report."""
