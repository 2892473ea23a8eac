"""The estimate of the time left follows the run's own pace."""

from dataclasses import dataclass

from arrayspeed.measure import progress


@dataclass(frozen=True)
class One:
    backend: str = "numpy"
    measure: str = "time_call"
    benchmark: str = "elementwise.add_float64.time_call"
    size: int = 1000


def run(monkeypatch, seconds, chunks=20):
    """A run in which every chunk takes so many seconds; returns the estimates after each."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    bar = progress.Progress([[One()]] * chunks, passes=lambda item: 2)
    estimates = []
    for _ in range(chunks):
        bar.start([One()])
        now[0] += seconds
        bar.finish([One()], "numpy 1.00 µs")
        estimates.append(bar.remaining())
    return estimates


def test_estimate_approaches_the_truth(monkeypatch, capsys):
    for seconds in (0.5, 2.0, 20.0):
        estimates = run(monkeypatch, seconds)
        assert estimates[-1] < 1e-6
        truth = 5 * seconds
        assert truth / 2 < estimates[14] < 2 * truth + 3
    assert "[20/20]" in capsys.readouterr().err


def test_clock():
    assert progress.clock(59.6) == "1:00 min"
    assert progress.clock(3700) == "1:01 h"


def test_what_a_chunk_will_take_follows_the_pace(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    bar = progress.Progress([[One()]] * 9, passes=lambda item: 2)
    assert bar.expected([One()]) == 0, "nothing is known yet, so the first chunk is begun"
    for _ in range(8):
        bar.start([One()])
        now[0] += 60
        bar.finish([One()], "")
    assert 30 < bar.expected([One()]) < 120 < bar.expected([One()] * 4)
