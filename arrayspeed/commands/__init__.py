"""One module a subcommand: ``add_arguments(parser)`` and ``main(args)``, which returns the exit status."""
