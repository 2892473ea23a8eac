"""What /proc/cpuinfo says on real machines, as people have reported it in public; flags are left out.

Each has where it is from. Blocks are repeated as often as the report has processors, or as few as tell the same.
"""


def arm(part, variant, revision, bogomips, count=2, implementer="0x41", architecture="8", first=0):
    return "".join(
        f"processor\t: {first + n}\nBogoMIPS\t: {bogomips}\nCPU implementer\t: {implementer}\n"
        f"CPU architecture: {architecture}\nCPU variant\t: {variant}\nCPU part\t: {part}\n"
        f"CPU revision\t: {revision}\n\n"
        for n in range(count)
    )


def x86(vendor, family, model, name, count=2):
    return "".join(
        f"processor\t: {n}\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: {name}\n\n"
        for n in range(count)
    )


#: Machine -> cpuinfo, and the name that its processors get (with how many there are).
REPORTED = {
    # An issue about missing names on Amazon Linux, from a t4g.small; a pull request of archspec has the same.
    "Graviton2": (arm("0xd0c", "0x3", "1", "243.75"), "neoverse-n1-r3p1-t122-2cpu"),
    # A pull request of archspec, from a c7g; a mailing list of Linux's perf has the same.
    "Graviton3": (arm("0xd40", "0x1", "1", "2100.00"), "neoverse-v1-r1p1-t1050-2cpu"),
    # What lscpu says of a c8g, in a course of Arm's about memory: revision and speed of the counter are cpuinfo's.
    "Graviton4": (arm("0xd4f", "0x0", "1", "2000.00", 64), "neoverse-v2-r0p1-t1000-64cpu"),
    # An issue of archspec, from a server with Ampere Altra.
    "Ampere Altra": (arm("0xd0c", "0x3", "1", "50.00", 4), "neoverse-n1-r3p1-t25-4cpu"),
    # A mailing list of the kernel, about the consoles of a server with NVIDIA Grace; lscpu of a GH200 agrees.
    "Grace": (arm("0xd4f", "0x0", "0", "2000.00", 72), "neoverse-v2-r0p0-t1000-72cpu"),
    # An issue of gprofiler, from a server of Amazon's first generation.
    "Graviton": (arm("0xd08", "0x0", "3", "166.66", 2), "cortex-a72-r0p3-t83-2cpu"),
    # An issue of fastfetch that asks for such reports, from a 64-bit system.
    "Raspberry Pi 4": (
        arm("0xd08", "0x0", "3", "108.00", 4) + "Revision\t: d03115\nModel\t\t: Raspberry Pi 4 Model B Rev 1.5\n",
        "raspberry-pi-4-model-b-rev-1-5-cortex-a72-r0p3-4cpu",
    ),
    # An issue of arm-socs-table.
    "Raspberry Pi 5": (
        arm("0xd0b", "0x4", "1", "108.00", 4) + "Hardware\t: BCM2835\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n",
        "raspberry-pi-5-model-b-rev-1-0-cortex-a76-r4p1-4cpu",
    ),
    # An issue of DoorPi: 32-bit kernels name the architecture.
    "Raspberry Pi 2": (
        arm("0xc07", "0x0", "5", "38.40", 4, architecture="7").replace(
            "BogoMIPS", "model name\t: ARMv7 Processor rev 5 (v7l)\nBogoMIPS"
        ),
        "cortex-a7-r0p5-4cpu",
    ),
    # An issue of arm-socs-table: two kinds of cores.
    "Agilex 5": (
        arm("0xd05", "0x2", "0", "800.00", 2) + arm("0xd0b", "0x4", "1", "800.00", 2, first=2),
        "2x-cortex-a55-r2p0-2x-cortex-a76-r4p1-t400-4cpu",
    ),
    # An issue of arm-socs-table, from a server with two ThunderX2.
    "ThunderX2": (arm("0x0af", "0x1", "1", "400.00", implementer="0x43"), "thunderx2-99xx-r1p1-t200-2cpu"),
    # An issue about missing names on Amazon Linux.
    "Xeon": (
        x86("GenuineIntel", 6, 85, "Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz"),
        "intel-xeon-platinum-8259cl-f6m85-2cpu",
    ),
    # The machine whose results are in results/.
    "EPYC": (x86("AuthenticAMD", 25, 17, "AMD EPYC"), "amd-epyc-f25m17-2cpu"),
}
