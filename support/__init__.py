"""What tests and tools make up: releases and an index that serves them, results, pages in a browser, JSON."""
