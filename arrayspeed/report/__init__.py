"""The report: pages that people decide from, made of results alone when asv publishes its site."""
