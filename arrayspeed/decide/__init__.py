"""The one place that says slower, faster, same or unclear: numbers in, words out.

Everything here is pure: it reads no file, knows no library and no measure, and takes samples as plain numbers. Nothing
else in the project compares two numbers; `docs/method.md` explains the rules to users, and `simulate` checks the
promises that they make on data whose truth is known.

    words       the words, and the numbers that they depend on
    observed    what two sides gave, round by round
    student     Student's t
    discovery   many tests at once
    effects     a comparison's ratio and its noise, robust against outliers
    prior       how noisy comparisons of a kind usually are
    failures    processes that gave nothing
    judge       a word and an interval for each comparison, over all of them together
    states      a change that both states of the allocator must show
    looks       the same after 3, 4, 6, … 32 rounds
    means       geometric means over comparisons that met in the same rounds
    weighted    geometric means with weights, of values that ran in turn
    compare     values that never met in a round: ratios, the best set, crossovers, claims
    along       what rises and falls with a comparison's ratio
    simulate    what becomes of comparisons whose truth is known
"""

from arrayspeed.decide.judge import Decision, judge
from arrayspeed.decide.looks import LOOKS, Looks
from arrayspeed.decide.observed import Observed
from arrayspeed.decide.words import FACTOR, UNCLEAR_SHARE, exit_status

__all__ = ["FACTOR", "LOOKS", "UNCLEAR_SHARE", "Decision", "Looks", "Observed", "exit_status", "judge"]
