"""``python -m arrayspeed``."""

from arrayspeed.cli.main import main

main()
