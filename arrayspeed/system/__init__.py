"""The one room that knows the system: what a machine is, what it is doing, and what can be done to processes on it.

Linux offers all of it, macOS a part, and whatever a system lacks is left out: `arrayspeed.system.missing` says what
that is, once for a measurement, and its results keep it. Nothing here raises where something is missing.

    cpuinfo     the processors that /proc/cpuinfo or sysctl describe, and what to call them
    quota       how many cores a container may use
    topology    which processors share a core, and on which NUMA nodes they are
    state       what changes from day to day and changes times: governor, boost, throttling, the load of others
    processes   stopping processes, where their threads run, and what they did
    inside      what a process can find out about itself, with nothing but the standard library
    missing     what this system lacks of that
"""
