"""Decoding step by step gives what PaddlePaddle gives (fixtures/nn/make_losses.py), however it runs."""

import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from proa import nn
from proa.nn.decode import Decoder

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "nn"
cases = module_at(FIXTURES / "decode_cases.py")
answers = dict(np.load(FIXTURES / "decode.npz"))


@pytest.mark.parametrize("name", cases.CASES)
def test_eager(name):
    found = cases.run(paddle, name)
    expected = {key: value for key, value in answers.items() if key.startswith(name + "/")}
    assert expected.keys() == found.keys()
    for key, value in expected.items():
        assert found[key].dtype == value.dtype and found[key].shape == value.shape, key
        np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-5, err_msg=key)


def _results(value):
    return [v.numpy() for v in (value if isinstance(value, (list, tuple)) else [value])]


@pytest.mark.parametrize("name", cases.CASES)
def test_as_program(name, tmp_path):
    net, x = cases.made(paddle, name)
    net.eval()
    eager = _results(net(paddle.to_tensor(x)))
    spec = paddle.static.InputSpec([None, *x.shape[1:]])
    static = paddle.jit.to_static(net, input_spec=[spec], full_graph=True)
    program = static.forward.main_program
    assert any(op.type == "while" for block in program.blocks for op in block.ops)
    paddle.jit.save(static, str(tmp_path / "net"))
    for run in (static, paddle.jit.load(str(tmp_path / "net"))):
        for found, value in zip(_results(run(paddle.to_tensor(x))), eager, strict=True):
            np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-5)


def test_in_a_program_of_ones_own():
    net, x = cases.made(paddle, "GRU")
    expected = net(paddle.to_tensor(x))[0].numpy()
    weights = [p.numpy() for p in net.parameters()]
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            same = cases.CASES["GRU"][0](paddle)
            ids = same(paddle.static.data("x", [None, 4]))[0]
        executor = paddle.static.Executor()
        executor.run(startup)
        for parameter, value in zip(same.parameters(), weights, strict=True):
            paddle.static.global_scope().find_var(parameter.name).get_tensor().set(value, paddle.CPUPlace())
        found = executor.run(main, {"x": x}, [ids])[0]
    finally:
        paddle.disable_static()
    np.testing.assert_array_equal(found, expected)


def test_the_beams_hold_the_likeliest_of_all_sequences():
    """With as many beams as there are sequences of two symbols, the search finds the best of them."""
    net, x = cases.made(paddle, "GRU")
    x = paddle.to_tensor(x[:1])
    decoder = nn.BeamSearchDecoder(net.cell, 0, 1, 7, net.embedding, net.out)
    ids, states = nn.dynamic_decode(decoder, net.cell.get_initial_states(x), max_step_num=1)
    scores = {}
    first = net.cell.get_initial_states(x)

    def step(symbol, state):
        out, state = net.cell(net.embedding(paddle.to_tensor([symbol])), state)
        return nn.functional.log_softmax(net.out(out)).numpy()[0], state

    one, state = step(0, first)
    for a in range(7):
        if a == 1:
            scores[1, 1] = one[1]
            continue
        two, _ = step(a, state)
        scores |= {(a, b): one[a] + two[b] for b in range(7)}
    best = sorted(scores, key=scores.get)[::-1][:7]
    assert [tuple(column) for column in ids.numpy()[0].T] == best
    np.testing.assert_allclose(states.log_probs.numpy()[0], [scores[s] for s in best], rtol=1e-5)


def test_a_decoder_must_say_how_it_begins():
    with pytest.raises(NotImplementedError, match="initialize"):
        nn.dynamic_decode(Decoder(), None)
    with pytest.raises(NotImplementedError, match="step"):
        Decoder().step(0, None, None)


def test_a_subclass_that_uses_the_parts_of_the_search():
    """A step of one's own, made of the parts that PaddlePaddle's class has under these names."""

    class Stepwise(nn.BeamSearchDecoder):
        def step(self, time, inputs, states, **kwargs):
            assert int(self.batch_size) == 3
            cell_states = self._merge_batch_beams(states.cell_states)
            outputs, cell_states = self.cell(self._merge_batch_beams(inputs), cell_states)
            output, state = self._beam_search_step(
                time=time, logits=self.output_fn(self._split_batch_beams(outputs)),
                next_cell_states=self._split_batch_beams(cell_states), beam_state=states)
            return output, state, self.embedding_fn(output.predicted_ids), state.finished

    net, x = cases.made(paddle, "GRU")
    x = paddle.to_tensor(x[:1]).expand([3, -1]) + paddle.arange(3, dtype="float32").unsqueeze(1)
    whole, parts = (nn.dynamic_decode(kind(net.cell, 0, 1, 3, net.embedding, net.out), net.cell.get_initial_states(x),
                                max_step_num=4) for kind in (nn.BeamSearchDecoder, Stepwise))
    assert whole[0].tolist() == parts[0].tolist()


def test_a_state_that_is_empty_at_first():
    """A cache of past steps, [batch, steps, features], begins without steps."""
    decoder = nn.BeamSearchDecoder(None, 0, 1, 2)
    inputs, states, finished = decoder.initialize(paddle.zeros([3, 0, 4]))
    assert states.cell_states.shape == [3, 2, 0, 4] and inputs.tolist() == [[0, 0]] * 3
    assert finished.shape == [3, 2] and int(decoder.batch_size) == 3


def test_an_end_that_no_token_is_is_refused():
    cell, embedding, out = nn.GRUCell(4, 4), nn.Embedding(5, 4), nn.Linear(4, 5)
    decoder = nn.BeamSearchDecoder(cell, 0, 5, 2, embedding, out)
    with pytest.raises(IndexError, match="end_token.*size is 5"):
        nn.dynamic_decode(decoder, cell.get_initial_states(paddle.ones([2, 4])), max_step_num=4)
