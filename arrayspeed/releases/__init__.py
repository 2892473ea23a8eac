"""The question "is there a new release, and which one did it?": what the index has, and where a change came from.

It must not know commands or pages.

    index      what the package index that pip and uv are configured with says of a project
    listed     its releases: dates, wheels for this platform, the Pythons that they are for, yanked ones
    matrix     the releases that belong in asv.conf.json, by matrix.toml
    at_hand    the newest releases for a Python that is there, where that of asv.conf.json is not
    dates      when releases were published, kept with the results
    parts      a range of releases in parts, where no Python runs both ends
    keep       wheels of nightly builds, which an index has for some days
    show       these for people and programs
    found      what one comparison of two releases gave
    subject    releases side by side: in somebody's own code (`own`), or in our kernels (`suite`)
    search     between which releases a change lies, step by step; a step that decides nothing is skipped
    bisect     a search whose steps are measured
    outcome    what it found, for people and programs
    state      a file that is there whole or not at all
    watch      new releases: screened, confirmed, measured again on another day, bisected, reported once
    pages      a page for each release, and a summary of all
"""
