"""The numbers after `paddle.seed` are PaddlePaddle's, bit by bit, by whichever engine."""

import hashlib
import json
import pathlib

import numpy as np
import proa as paddle
import pytest
import sequences
from proa.core.flags import flags_guard

WANTED = json.loads(pathlib.Path(__file__).with_name("oracle_numbers.json").read_text())
ENGINES = {"numpy": "", "loops": "loops"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", sequences.SEQUENCES)
def test_numbers(name, engine):
    with flags_guard({"FLAGS_cpu_engines": ENGINES[engine], "FLAGS_kernel_after_elements": 0}):
        first, *others = sequences.SEEDS
        found = sequences.drawn(paddle, name, first)
        for place, (own, wanted) in enumerate(zip(found, WANTED[name][str(first)], strict=True)):
            assert own == wanted, f"{name}: the Tensor drawn as number {place}"
        for seed in others:
            digest = hashlib.sha256(repr(sequences.drawn(paddle, name, seed)).encode()).hexdigest()
            assert digest == WANTED[name][str(seed)], f"after seed({seed})"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", sequences.CLOSE)
def test_numbers_that_round(name, engine):
    with flags_guard({"FLAGS_cpu_engines": ENGINES[engine], "FLAGS_kernel_after_elements": 0}):
        found = sequences.arrays_of(paddle, name, sequences.SEEDS[0])
        for place, (own, (dtype, wanted)) in enumerate(zip(found, WANTED[name], strict=True)):
            assert own.dtype.name == dtype
            tolerance = 1e-5 if dtype == "float32" else 1e-12
            np.testing.assert_allclose(own, wanted, tolerance, tolerance, err_msg=f"{name}: the array number {place}")


def test_classes_that_are_drawn_by_a_seed_of_their_own():
    """What `nce(seed=…)` and `class_center_sample` in a Program with a seed draw in PaddlePaddle."""
    wanted = {("uniform", 5): [[1, 13, 0, 4, 13, 1], [2, 1, 2, 13, 15, 4]],
              ("uniform", 6): [[1, 15, 11, 16, 16, 6], [2, 5, 10, 10, 1, 13]],
              ("log_uniform", 5): [[1, 6, 0, 0, 6, 0], [2, 0, 0, 6, 9, 0]],
              ("log_uniform", 6): [[1, 9, 4, 10, 10, 1], [2, 1, 3, 4, 0, 6]]}
    static, exe = paddle.static, paddle.static.Executor()
    for (sampler, seed), classes in wanted.items():
        main, startup = static.Program(), static.Program()
        with static.scope_guard(static.Scope()), static.program_guard(main, startup):
            x, label = static.data("x", [2, 3]), static.data("label", [2, 1], "int64")
            static.nn.nce(x, label, num_total_classes=20, num_neg_samples=5, sampler=sampler, seed=seed)
            drawn = next(op for op in main.global_block().ops if op.type == "nce").output("SampleLabels")
            exe.run(startup)
            feed = {"x": np.ones((2, 3), "float32"), "label": np.array([[1], [2]])}
            assert exe.run(main, feed=feed, fetch_list=drawn)[0].tolist() == classes
    main = static.Program()
    main.random_seed = 5
    with static.program_guard(main):
        label = static.data("label", [4], "int64")
        results = list(paddle.nn.functional.class_center_sample(label, 20, 8))
        remapped, sampled = exe.run(main, feed={"label": np.array([7, 3, 7, 15])}, fetch_list=results)
    assert remapped.tolist() == [1, 0, 1, 2] and sampled.tolist() == [3, 7, 15, 13, 0, 4, 1, 2]
