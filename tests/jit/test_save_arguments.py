"""What a saved model takes: nested arguments, None, numbers, keywords; what `save` takes for arguments."""

import functools
import inspect
import itertools

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.core import nest
from proa.jit import FallbackWarning
from proa.static import InputSpec

X, Y, Z = (paddle.to_tensor(np.array([[n, n + 1.0]], "float32")) for n in (1, 3, 5))
SPEC = InputSpec([None, 2])


class Base(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = nn.Linear(2, 2), nn.Dropout(0.5)


class OfList(Base):
    def forward(self, inputs):
        x, y = inputs
        return self.drop(self.fc(x)) - y


class OfDict(Base):
    def forward(self, inputs):
        return self.drop(self.fc(inputs["y"])) - inputs["x"]


class OfNested(Base):
    def forward(self, inputs):
        (x, y), more = inputs
        return self.fc(x) - y + more["z"] * 10 + (more["w"] or 0)


class OfPlain(Base):
    def forward(self, x, scale=2.0, y=None):
        result = self.fc(x) * scale
        return result if y is None else result - y


class OfMany(Base):
    def forward(self, *xs, **named):
        return self.fc(xs[0]) - xs[1] * 10 + named.get("y", 0) * 100 - named.get("b", 0)


class OfKeyword(Base):
    def forward(self, x, *, y, flag=True):
        return self.fc(x) - y if flag else x


class OfMixed(Base):
    def forward(self, x, lengths, mode="sum", extra=None):
        states, mask = x
        result = self.fc(states[0]) + self.fc(states[-1]) * mask["m"]
        if extra is not None:
            result = result + extra[0] * lengths
        return {"b": result, "a": [result.sum(), (result * 2, None, 3)]} if mode == "all" else result


# kind, arguments, keyword arguments, the names of the file's inputs
CALLS = {
    "a list": (OfList, ([X, Y],), {}, ["inputs_0", "inputs_1"]),
    "a tuple": (OfList, ((X, Y),), {}, ["inputs_0", "inputs_1"]),
    "a dict": (OfDict, ({"y": X, "x": Y},), {}, ["x", "y"]),
    "nested": (OfNested, (((X, Y), {"z": Z, "w": None}),), {}, ["inputs_0_0", "inputs_0_1", "z"]),
    "nested with a number": (OfNested, ([[X, Y], {"z": Z, "w": 3.0}],), {}, ["inputs_0_0", "inputs_0_1", "z"]),
    "defaults": (OfPlain, (X,), {}, ["x"]),
    "a number": (OfPlain, (X, 3.0), {}, ["x"]),
    "a number by keyword": (OfPlain, (X,), {"scale": 3.0}, ["x"]),
    "a tensor behind a default": (OfPlain, (X,), {"y": Y}, ["x", "y"]),
    "all by keyword": (OfPlain, (), {"y": Y, "scale": 4.0, "x": X}, ["x", "y"]),
    "None": (OfPlain, (X, 2.0, None), {}, ["x"]),
    "*args": (OfMany, (X, Y), {}, ["xs_0", "xs_1"]),
    "**kwargs": (OfMany, (X, Y), {"y": Z, "b": X * 2}, ["xs_0", "xs_1", "b", "y"]),
    "keyword only": (OfKeyword, (X,), {"y": Y}, ["x", "y"]),
    "keyword only and a flag": (OfKeyword, (X,), {"y": Y, "flag": False}, ["x", "y"]),
    "mixed": (OfMixed, (([X, Y], {"m": Z}), 3), {"mode": "all", "extra": (X,)},
              ["x_0_0", "x_0_1", "m", "extra_0"]),
    "an array": (OfList, ([X.numpy(), Y],), {}, ["inputs_0", "inputs_1"])}


def _tensors(args, kwargs, kind):
    """The tensors one by one, in the order in which the function declares its arguments."""
    bound = inspect.signature(kind.forward).bind(None, *args, **kwargs).arguments
    return [v for name, value in bound.items() if name != "self" for v in nest.leaves(value)
            if isinstance(v, (paddle.Tensor, np.ndarray))]


def _results(value):
    value = [v for v in nest.leaves(value) if isinstance(v, paddle.Tensor)]
    return [v.numpy() for v in value]


def _check(path, tensors, wanted, names=None):
    loaded = paddle.jit.load(path)
    for found, value in zip(_results(loaded(*tensors)), wanted, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-5)
    if names is not None:
        assert [spec.name for spec in loaded._input_spec()] == names


@pytest.mark.parametrize("mode", ["train", "eval"])
@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize(("kind", "args", "kwargs", "names"), CALLS.values(), ids=CALLS)
def test_saved_after_a_call(kind, args, kwargs, names, full_graph, mode, tmp_path):
    net = paddle.jit.to_static(kind(), full_graph=full_graph)
    getattr(net, mode)()
    net(*args, **kwargs)
    paddle.jit.save(net, str(tmp_path / "m"))
    assert net.training is (mode == "train")
    net.eval()
    _check(str(tmp_path / "m"), _tensors(args, kwargs, kind), _results(net(*args, **kwargs)), names)


def _spec(value):
    return nest.map_structure(lambda v: SPEC if isinstance(v, (paddle.Tensor, np.ndarray)) else v, value)


@pytest.mark.parametrize("way", ["save", "to_static", "both", "after a call"])
@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if not call[2] and name != "an array"])
def test_saved_with_specs(name, way, tmp_path):
    kind, args, _, names = CALLS[name]
    net, specs = kind(), [_spec(value) for value in args]
    net.eval()
    wanted = _results(net(*args))
    if way != "save":
        net = paddle.jit.to_static(net, input_spec=specs if way in ("to_static", "both") else None)
    if way == "after a call":
        net(*args)
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=None if way == "to_static" else specs)
    _check(str(tmp_path / "m"), _tensors(args, {}, kind), wanted, names)
    two = [paddle.concat([paddle.to_tensor(v)] * 2) for v in _tensors(args, {}, kind)]
    for found, value in zip(_results(paddle.jit.load(str(tmp_path / "m"))(*two)), wanted, strict=True):
        np.testing.assert_allclose(found, np.concatenate([value, value]), rtol=1e-5)


def test_names_of_specs_and_example_tensors(tmp_path):
    path = str(tmp_path / "m")
    paddle.jit.save(OfList(), path, input_spec=[[InputSpec([None, 2], name="p"), InputSpec([None, 2], name="q")]])
    assert [spec.name for spec in paddle.jit.load(path)._input_spec()] == ["p", "q"]
    paddle.jit.save(OfDict(), path, input_spec=[{"y": X, "x": Y.numpy()}])
    assert [spec.name for spec in paddle.jit.load(path)._input_spec()] == ["x", "y"]


@pytest.mark.parametrize("full_graph", [False, True])
def test_the_last_call_counts_not_the_last_program(full_graph, tmp_path):
    net = paddle.jit.to_static(OfPlain(), full_graph=full_graph)
    net.eval()
    calls = [(X,), (X, 5.0), (X, 7.0, Y), (X, 5.0), (X,)]
    for call in [*calls, calls[1], calls[1]]:
        wanted = _results(net(*call))
    paddle.jit.save(net, str(tmp_path / "m"))
    _check(str(tmp_path / "m"), [X], wanted, ["x"])
    net(X)
    net(X)
    paddle.jit.save(net, str(tmp_path / "m"))
    _check(str(tmp_path / "m"), [X], _results(net(X)))


def test_a_function_that_fell_back_says_why_or_is_saved_as_it_is_now(tmp_path):
    settings = {"look": True}

    @paddle.jit.to_static
    def scaled(x):
        if settings["look"]:
            return x * sum(map(sum, x.tolist()))
        return x * 7

    with pytest.warns(FallbackWarning, match="tolist"):
        scaled(X)
    with pytest.raises(TypeError, match=r"x.tolist\(\): the variable 'x' of a static Program has no value"):
        paddle.jit.save(scaled, str(tmp_path / "m"))
    settings["look"] = False
    paddle.jit.save(scaled, str(tmp_path / "m"))
    _check(str(tmp_path / "m"), [X], [X.numpy() * 7], ["x"])


def double(function):
    @functools.wraps(function)
    def doubled(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return doubled


@double
def tripled(x):
    return x * 3


def power(exponent, x):
    return x ** exponent


class Callable:
    def __call__(self, x):
        return x * 4


class Encoder(Base):
    def forward(self, x):
        return self.drop(self.fc(x))

    def encode(self, x, scale=1.0):
        return self.drop(self.fc(x)) * scale


FUNCTIONS = {
    "a decorated function": lambda: tripled, "a partial object": lambda: functools.partial(power, 2.0),
    "a lambda": lambda: lambda x: x * 5, "a callable object": Callable, "a method": lambda: Encoder().encode,
    "a method in a partial object": lambda: functools.partial(_evaluated(Encoder()).encode, scale=3.0),
    "a function around a layer": lambda: _around(_evaluated(Encoder()))}


def _evaluated(layer):
    layer.eval()
    return layer


def _around(layer):
    return lambda x: layer(x) + 1


@pytest.mark.parametrize("way", ["a spec", "a call"])
@pytest.mark.parametrize("make", FUNCTIONS.values(), ids=FUNCTIONS)
def test_functions(make, way, tmp_path):
    function = make()
    if way == "a call":
        converted = paddle.jit.to_static(function)
        converted(X)
    paddle.jit.save(function if way == "a spec" else converted, str(tmp_path / "m"),
                    input_spec=[SPEC] if way == "a spec" else None)
    if hasattr(function, "__self__"):
        assert function.__self__.training
        function.__self__.eval()
    _check(str(tmp_path / "m"), [X], _results(function(X)), ["x"])


def test_parameters_of_a_method_are_trained_and_have_their_names(tmp_path):
    net = paddle.jit.to_static(Encoder())
    net(X)
    for function in (net.forward, Encoder().encode):
        paddle.jit.save(function, str(tmp_path / "m"), input_spec=[SPEC])
        named = dict(paddle.jit.load(str(tmp_path / "m")).named_parameters())
        assert sorted(named) == ["fc.bias", "fc.weight"] and all(p.trainable for p in named.values())


class Hooked(Base):
    def forward(self, x, scale=1.0):
        return self.fc(x) * scale


def _ten_times(layer, inputs):
    return inputs[0] * 10 if inputs[0].sum() > 0 else inputs[0]


@pytest.mark.parametrize("way", ["a spec", "a call", "a decorator"])
def test_hooks_of_the_layer_itself_are_saved(way, tmp_path):
    net = Hooked()
    net.register_forward_pre_hook(_ten_times)
    net.register_forward_post_hook(lambda layer, inputs, outputs: outputs + 1)
    net.fc.register_forward_post_hook(lambda layer, inputs, outputs: outputs * 2)
    wanted = _results(net(X))
    if way != "a spec":
        net = paddle.jit.to_static(net, input_spec=[SPEC] if way == "a decorator" else None)
        net(X)
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=[SPEC] if way == "a spec" else None)
    _check(str(tmp_path / "m"), [X], wanted, ["x"])


class WithLoss(Base):
    @paddle.jit.to_static(input_spec=[InputSpec([None, 2], name="image"), InputSpec([None, 2], name="label")])
    def forward(self, image, label):
        result = self.fc(image)
        return result, (result - label).mean()


@pytest.mark.parametrize("options", [{"input_spec": [InputSpec([None, 2], name="image")]},
                                     {"input_names_after_prune": ["image"]}], ids=["fewer specs", "names"])
def test_inputs_are_left_out_by_name(options, tmp_path):
    net, path = WithLoss(), str(tmp_path / "m")
    outputs = net.forward.outputs
    paddle.jit.save(net, path, output_spec=outputs[:1], **options)
    _check(path, [X], _results(net.fc(X)), ["image"])
    with pytest.raises(ValueError, match="label"):
        paddle.jit.save(net, path, output_spec=outputs[1:], **options)
    with pytest.raises(ValueError, match=r"there is no input \['picture'\]. The inputs: \['image', 'label'\]"):
        paddle.jit.save(net, path, input_names_after_prune=["picture"])


def test_specs_of_the_decorator_hold_where_those_of_save_are_special_cases(tmp_path):
    path = str(tmp_path / "m")
    paddle.jit.save(WithLoss(), path, input_spec=[InputSpec([8, 2]), InputSpec([8, 2])])
    found = paddle.jit.load(path)._input_spec()
    assert [(spec.name, list(spec.shape)) for spec in found] == [("image", [-1, 2]), ("label", [-1, 2])]


class Methods(Base):
    def forward(self, x):
        return self.fc(x)

    @paddle.jit.to_static(input_spec=[SPEC])
    def encode(self, x):
        return self.fc(x) * 3


def test_methods_that_are_converted_on_an_instance_and_no_forward(tmp_path):
    net = Encoder()
    net.encode = paddle.jit.to_static(net.encode)
    net = paddle.jit.to_static(_evaluated(net))
    wanted = _results(net(X)), _results(net.encode(X, 2.0))
    paddle.jit.save(net, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    np.testing.assert_allclose([loaded(X).numpy(), loaded.encode(X).numpy()], list(itertools.chain(*wanted)), rtol=1e-5)
    with pytest.raises(ValueError, match=r"\['encode'\] are decorated.*skip_forward=True"):
        paddle.jit.save(Methods(), str(tmp_path / "n"))
    paddle.jit.save(Methods(), str(tmp_path / "n"), skip_forward=True)
    assert sorted(file.name for file in tmp_path.glob("n.*.pdmodel")) == ["n.encode.pdmodel"]
    with pytest.raises(ValueError, match=r"combine_params=True\).*\(encode, forward\).*Leave combine_params out"):
        paddle.jit.save(net, str(tmp_path / "o"), combine_params=True)
    paddle.jit.save(nn.Linear(3, 2), str(tmp_path / "o"), [InputSpec([None, 3])], combine_params=True)  # as in Paddle
    assert not list(tmp_path.glob("o.*.pdmodel"))


def test_a_layer_that_was_called_as_written_only_needs_specs(tmp_path):
    net = OfList()
    net([X, Y])
    with pytest.raises(ValueError, match="input_spec is needed for OfList.forward, which has not been called yet"):
        paddle.jit.save(net, str(tmp_path / "m"))
    with pytest.raises(ValueError, match="input_spec gives 2 specs for the 1 arguments"):
        paddle.jit.save(net, str(tmp_path / "m"), input_spec=[SPEC, SPEC])


class TwoResults(Base):
    def forward(self, x):
        return self.fc(x).mean(), self.fc(x)


def test_outputs_may_be_chosen_by_tensors_that_a_call_returned(tmp_path):
    path = str(tmp_path / "m")
    net = paddle.jit.to_static(_evaluated(TwoResults()))
    wanted = net(X)
    net(paddle.ones([5, 2]))
    for index in (0, 1):
        paddle.jit.save(net, path, input_spec=[SPEC], output_spec=[wanted[index]])
        np.testing.assert_allclose(paddle.jit.load(path)(X).numpy(), wanted[index].numpy(), rtol=1e-6)
    net.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 2,))
    doubled = net(X)
    paddle.jit.save(net, path, output_spec=[doubled[1], doubled[0]])
    for found, result in zip(paddle.jit.load(path)(X), doubled[::-1], strict=True):
        np.testing.assert_allclose(found.numpy(), result.numpy(), rtol=1e-6)
    with pytest.raises(ValueError, match="a Tensor must be what a call of the converted function returned"):
        paddle.jit.save(net, path, output_spec=[wanted[0] * 2])


def test_inputs_to_keep_are_told_by_the_names_of_example_tensors(tmp_path):
    class Scored(Base):
        def forward(self, x, label=None):
            found = self.fc(x)
            return (found, (found - label).mean()) if label is not None else found

    path = str(tmp_path / "m")
    net = paddle.jit.to_static(_evaluated(Scored()))
    image, label = paddle.ones([3, 2]), paddle.zeros([3, 2])
    wanted = net(image, label)[0]
    paddle.jit.save(net, path, input_spec=[image, label], output_spec=[wanted], input_names_after_prune=[image.name])
    np.testing.assert_allclose(paddle.jit.load(path)(image).numpy(), wanted.numpy(), rtol=1e-6)
    with pytest.raises(ValueError, match=r"no input \['other'\]"):
        paddle.jit.save(net, path, input_spec=[image, label], input_names_after_prune=["other"])


def test_as_many_unknown_outputs_as_there_are_keep_all_with_a_warning(tmp_path):
    path = str(tmp_path / "m")
    net = paddle.jit.to_static(_evaluated(TwoResults()))
    with paddle.no_grad():
        wanted = net(X)
    with pytest.warns(UserWarning, match="all are saved") as given:
        paddle.jit.save(net, path, output_spec=wanted)
    assert given[0].filename == __file__
    np.testing.assert_allclose(paddle.jit.load(path)(X)[1].numpy(), wanted[1].numpy(), rtol=1e-6)


def test_what_load_refuses(tmp_path):
    for error in (FileNotFoundError, ValueError):
        with pytest.raises(error, match="There is no file"):
            paddle.jit.load(str(tmp_path / "nothing"))
    with pytest.raises(ValueError, match="unknown options .'separate_params'.. Known: model_filename"):
        paddle.jit.load(str(tmp_path / "nothing"), separate_params=True)
    for error in (FileNotFoundError, ValueError):
        with pytest.raises(error, match="neither a file"):
            paddle.load(str(tmp_path / "nothing"))


def test_inputs_of_the_program_are_specs(tmp_path):
    path = str(tmp_path / "m")
    net = paddle.jit.to_static(_evaluated(OfTwo()), input_spec=[SPEC, SPEC])
    inputs, outputs = net.forward.inputs, net.forward.outputs
    wanted = net(X, Y)[0].numpy()
    for specs, options in ((inputs[:1], {}), (inputs, {"input_names_after_prune": [inputs[0].name]})):
        paddle.jit.save(net, path, specs, output_spec=outputs[:1], **options)
        np.testing.assert_allclose(paddle.jit.load(path)(X).numpy(), wanted, rtol=1e-6)


class OfTwo(Base):
    def forward(self, x, y):
        return self.fc(x), self.fc(y)
