"""What asv_runner's loop does here, apart from asv."""

from statistics import median

from tests.conftest import inside


def test_the_loop_calls_the_kernel_itself_and_has_room_for_its_frames(newest):
    first, second = inside(newest, "check_timing")
    # timeit's own loop, and nothing of asv's between it and the kernel, nor among the frames that TensorFlow looks at.
    assert first["between"][:2] == ["inner", "timeit"], first["between"]
    assert set(first["between"][2:32]) == {"<lambda>"}
    assert "benchmark_timing" in first["between"][32:]
    assert first["frozen"] > 10_000, "a collection of everything can fall between two calls"
    # Without the room, some depth has the loop take a chunk of the stack at every call.
    assert max(second["roomy"]) < 2 * median(second["roomy"])
    assert max(second["plain"]) > 3 * median(second["plain"]), (
        "Python no longer has the flaw: is the room still needed?"
    )
