"""Getting numbers: sessions, servers, blocks, turns, progress. The only room that drives processes and asv's runner.

It must not know why something is measured, nor judge it; `until_decided` asks `arrayspeed.decide` whether to go on.
"""
