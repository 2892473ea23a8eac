"""What is measured: our kernels, or somebody's own code, on sides of any kind.

`upgrade`, `compare`, `explain`, `bisect` and `watch` ask a subject, and know nothing of what it measures. It must not
know commands or pages.

    subject   what all subjects can do
    found     one comparison, as files keep it
    kernels   a library's versions in our kernels
    own       somebody's own code
"""
