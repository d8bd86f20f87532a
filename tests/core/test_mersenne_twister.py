"""The engine's words are those of the C++ standard; its state goes round; generators seed, give words, and pickle."""

import pickle
import threading

import numpy as np
import proa as paddle
import pytest
from proa.core import mersenne_twister
from proa.core.flags import flags_guard
from proa.core.mersenne_twister import Engine, words_of_seed, words_of_seed_sequence
from proa.core.random import default_generator


@pytest.fixture(params=["", "loops"])
def engines(request):
    """NumPy alone, and generated loops where they can be had."""
    with flags_guard({"FLAGS_cpu_engines": request.param}):
        yield


@pytest.mark.usefixtures("engines")
def test_the_ten_thousandth_word_is_that_of_the_standard():
    assert Engine(words_of_seed, 5489).words(10_000)[-1] == 9981545732273789042


def test_numpy_makes_the_words_that_loops_make():
    state, other = words_of_seed(3).copy(), words_of_seed(3).copy()
    found, expected = np.empty(5 * 312, "uint64"), np.empty(5 * 312, "uint64")
    Engine.advance(state, found)
    mersenne_twister.advance(other, expected)
    assert (found == expected).all() and (state == other).all()


@pytest.mark.usefixtures("engines")
@pytest.mark.parametrize("counts", [[1] * 700, [311, 1, 1, 312, 313], [5000, 3, 20000]])
def test_words_follow_each_other_whatever_is_taken_at_once(counts):
    engine, whole = Engine(words_of_seed_sequence, 9), Engine(words_of_seed_sequence, 9).words(sum(counts))
    assert np.concatenate([engine.words(count) for count in counts]).tolist() == whole.tolist()


@pytest.mark.usefixtures("engines")
def test_what_was_looked_at_is_still_to_come():
    engine = Engine(words_of_seed_sequence, 9)
    ahead = engine.ahead(700)[:700].copy()
    engine.skip(100)
    assert engine.words(600).tolist() == ahead[100:].tolist()


@pytest.mark.usefixtures("engines")
@pytest.mark.parametrize("taken", [0, 1, 311, 312, 313, 2000])
def test_a_state_goes_round(taken):
    engine, other = Engine(words_of_seed_sequence, 4), Engine(words_of_seed, 1)
    engine.words(taken)
    state = pickle.loads(pickle.dumps(engine.get_state()))
    expected = engine.words(1000).tolist()
    other.set_state(state)
    assert other.words(1000).tolist() == expected
    engine.set_state(state)
    assert engine.words(1000).tolist() == expected


def test_the_low_32_bits_of_a_seed_count():
    assert (words_of_seed_sequence(2**32 + 7) == words_of_seed_sequence(7)).all()
    assert (words_of_seed(2**32 + 7) != words_of_seed(7)).any()


def test_states_of_generators():
    paddle.seed(7)
    paddle.randn([3])
    state = pickle.loads(pickle.dumps(paddle.get_rng_state()))
    first = paddle.rand([400]).tolist()
    paddle.seed(8)
    paddle.set_rng_state(state)
    assert paddle.rand([400]).tolist() == first


def test_a_generator_gives_words_and_seeds_itself():
    generator = paddle.seed(7)
    assert generator.random() == 274713354619019367
    assert generator is default_generator() and generator.initial_seed() == 7
    seed = generator.seed()
    first = paddle.rand([3]).tolist()
    assert generator.initial_seed() == seed
    generator.manual_seed(seed)
    assert paddle.rand([3]).tolist() == first


def test_threads_draw_each_word_once():
    paddle.seed(5)
    found, wanted = [], sorted(paddle.rand([80 * 50]).tolist())
    paddle.seed(5)
    threads = [threading.Thread(target=lambda: found.extend([paddle.rand([50]).tolist() for _ in range(20)]))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sum(found, [])) == wanted
