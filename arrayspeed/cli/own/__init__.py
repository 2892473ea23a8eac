"""What `upgrade` and `compare` share where people's own code is measured: arguments, the run, what is printed."""
