"""Samples from anywhere: what other tools measured, read for `arrayspeed.decide`.

It must not know our kernels, their records or their environments.
"""
