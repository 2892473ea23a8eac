"""Where libraries run: asv's plugin that makes environments (with uv), interpreters as they are, the machine.

It must not know what was measured in them.

    interpreters  those of this machine, and the one that uv fetches
    pythons       which of them runs everything that is compared
    uv            uv, with pip's configuration
    install       one install for a whole environment
    plugin        asv's environments
    existing      an interpreter with what is installed there
    unused        environments that nothing names any more
    project       asv's configuration, and the code that is measured
    suite         the same in a wheel
    machine       what the results of this machine are called
    accelerator   what the driver says of the GPU
"""
