"""fluid.contrib.decoder: a step written once, trained over sequences and run by a beam search, with 1.8.5's numbers."""

import zlib

import numpy as np
import pytest
from proa import fluid
from proa.fluid.contrib.decoder.beam_search_decoder import BeamSearchDecoder, InitState, StateCell, TrainingDecoder

layers = fluid.layers
WORDS, WIDTH = 9, 5


@pytest.fixture(autouse=True)
def main():
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()), \
            fluid.unique_name.guard():
        yield fluid.default_main_program()


def sequences(values, lengths):
    return fluid.create_lod_tensor(np.array(values).reshape(-1, 1), lengths, fluid.CPUPlace())


def cell():
    """A state of the sum of a sentence's words, and another one that counts in what the step was given."""
    words = fluid.data("source", [None, 1], "int64", lod_level=1)
    start = layers.sequence_pool(layers.embedding(words, [WORDS, WIDTH], param_attr="source_w"), "sum")
    made = StateCell(inputs={"x": None, "start": None}, out_state="h", states={
        "h": InitState(start, need_reorder=True), "c": InitState(init_boot=start, shape=[-1, 3], value=0.5)})

    @made.state_updater
    def step(cell):
        cell.set_state("c", layers.fc([cell.get_state("c"), cell.get_input("start")], 3, act="tanh",
                                      param_attr=["c_c", "c_start"], bias_attr="c_b"))
        given = [cell.get_state("h"), cell.get_state("c"), cell.get_input("x")]
        cell.set_state("h", layers.fc(given, WIDTH, act="tanh", param_attr=["h_h", "h_c", "h_x"], bias_attr="h_b"))

    return made, start


def begun():
    """An Executor; parameters have values that follow from their names."""
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fluid.default_startup_program())
    for p in fluid.default_main_program().all_parameters():
        random = np.random.RandomState(zlib.crc32(p.name.encode()))
        fluid.global_scope().find_var(p.name).get_tensor().set(
            random.uniform(-1, 1, p.shape).astype("float32"), fluid.CPUPlace())
    return exe


TRAINED = [2.3092704, 1.6120199, 1.2279644]
FOUND = {
    1: {"lod": [[0, 1, 2], [0, 4, 8]], "ids": [0, 6, 6, 6] * 2, "scores": [-3.208911, -3.7662196]},
    2: {"lod": [[0, 2, 4], [0, 5, 10, 15, 20]], "ids": [0, 6, 6, 6, 6, 0, 6, 6, 6, 0, 0, 6, 6, 6, 6, 0, 0, 6, 6, 6],
        "scores": [-4.3313823, -5.0830584, -5.009101, -5.234917]},
}
FEED = {"source": ([3, 1, 4, 1, 5, 2], [[4, 2]])}


def test_training():
    made, start = cell()
    targets, labels = (fluid.data(name, [None, 1], "int64", lod_level=1) for name in ("targets", "labels"))
    vectors = layers.embedding(targets, [WORDS, WIDTH], param_attr="target")
    decoder = TrainingDecoder(made)
    with decoder.block():
        inputs = {"x": decoder.step_input(vectors), "start": decoder.static_input(start)}
        decoder.state_cell.compute_state(inputs=inputs)
        decoder.state_cell.update_states()
        decoder.output(layers.fc(decoder.state_cell.out_state(), WORDS, act="softmax", param_attr="o", bias_attr="o_b"))
    loss = layers.mean(layers.cross_entropy(decoder(), labels))
    fluid.optimizer.Adagrad(0.1).minimize(loss)
    exe = begun()
    feed = {name: sequences(*given) for name, given in {
        **FEED, "targets": ([0, 6, 0, 7, 8], [[2, 3]]), "labels": ([6, 2, 7, 8, 2], [[2, 3]])}.items()}
    losses = [float(exe.run(feed=feed, fetch_list=[loss])[0][0]) for _ in range(3)]
    np.testing.assert_allclose(losses, TRAINED, rtol=1e-5)


@pytest.mark.parametrize("beam, steps", [(1, 3), (2, 4)])
def test_beam_search(beam, steps):
    made, start = cell()
    ids, scores = (fluid.data(name, [None, 1], dtype, lod_level=2) for name, dtype in (
        ("ids", "int64"), ("scores", "float32")))
    decoder = BeamSearchDecoder(made, ids, scores, WORDS, WIDTH, {"start": start}, topk_size=4, max_len=steps,
                                beam_size=beam, end_id=1)
    decoder.decode()
    found = decoder()
    exe, places = begun(), [[1, 1], [1, 1]]
    feed = {"source": sequences(*FEED["source"]), "ids": sequences(np.int64([0, 0]), places),
            "scores": sequences(np.float32([0, 0]), places)}
    words, totals = exe.run(feed=feed, fetch_list=list(found), return_numpy=False)
    expected = FOUND[beam]
    assert (words.lod(), np.array(words).tolist()) == (expected["lod"], expected["ids"])
    ends = [end - 1 for end in words.lod()[1][1:]]
    np.testing.assert_allclose(np.array(totals)[ends], expected["scores"], rtol=1e-5)


def test_what_makes_no_sense_is_told(main):
    with pytest.raises(ValueError, match="give init, or init_boot"):
        InitState()
    with pytest.raises(ValueError, match=r"StateCell\(states\): each must be an InitState\. h is none"):
        StateCell({}, {"h": 3}, "h")
    made, start = cell()
    with pytest.raises(ValueError, match="must be one of the states"):
        StateCell({}, {"h": InitState(start)}, "g")
    with pytest.raises(ValueError, match="there is no state 'g'"):
        made.get_state("g")
    with pytest.raises(ValueError, match="the cell has no y, only x, start"):
        made.compute_state({"y": start})
    decoder = TrainingDecoder(made)
    with pytest.raises(ValueError, match="is in a decoder already"):
        TrainingDecoder(made)
    with pytest.raises(ValueError, match=r"TrainingDecoder.output: belongs in `with decoder.block\(\):`"):
        decoder.output(start)
    with pytest.raises(ValueError, match=r"TrainingDecoder.__call__\(\): belongs behind"):
        decoder()
