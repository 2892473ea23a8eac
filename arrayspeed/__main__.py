"""``python -m arrayspeed``."""

from arrayspeed.cli import main

main()
