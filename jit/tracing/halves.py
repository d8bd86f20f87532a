"""A training step of a Program as two plans: forward, and backward from what the first keeps."""

from __future__ import annotations

from ...static.compiler import Plan


class Halves:
    """The two plans of a training step: the forward one also gives what the backward one needs.

    Of the inputs, by index: `found`, whose gradients the backward plan gives; `passed`, which it takes; `unchanged`,
    which the forward one does not write to; `read`, those of them that operations of the backward one read (`asked`,
    by name); `places`, which the forward one writes to. `recorded` are the outputs that have a gradient, `leaves` those
    whose own it is: they count behind the inputs in `found`.
    """

    def __init__(self, forward: Plan, updated: list[str], kept: list[str], backward: Plan, found: list[int],
                 inputs: list[str], recorded: list[int], leaves: list[int], replaced: frozenset[int], asked: list[str]):
        self.updated = updated
        self.forward, self.backward, self.kept, self.found = forward, backward, kept, found
        self.recorded, self.leaves = recorded, leaves
        self.unchanged = [index for index, name in enumerate(inputs) if name not in updated and index not in replaced]
        self.asked = asked
        self.read = [index for index in self.unchanged if inputs[index] in asked]
        self.passed = [index for index, name in enumerate(inputs) if name not in kept]
        self.places = [inputs.index(name) for name in updated]
        self.count = len(inputs) + len(leaves)
