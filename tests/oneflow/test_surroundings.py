"""Scopes, placements, settings: what is harmless on one device is accepted, what needs several is refused."""

import numpy as np
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from proa.oneflow.job import session_guard


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def test_namespaces_stand_before_the_names_of_variables():
    @flow.global_function()
    def job() -> tp.Numpy:
        with flow.scope.namespace("a"), flow.name_scope("b"):
            w = flow.get_variable("w", (2,), initializer=lambda shape, dtype: np.ones(shape))
        return w + flow.get_variable("w", (2,), initializer=lambda shape, dtype: np.ones(shape))

    np.testing.assert_array_equal(job(), [2, 2])
    assert list(job.job.variables) == ["a-b-w", "w"]


@pytest.mark.parametrize(("call", "text"), [
    (lambda: flow.scope.placement("gpu", "0:0-3"), "names 4 devices"),
    (lambda: flow.scope.placement("cpu", ["0:0", "1:0"]), "of several machines"),
    (lambda: flow.scope.placement("cpu", "0:1"), "this machine has 1 such"),
    (lambda: flow.config.gpu_device_num(2), "received 2. A job runs on one device"),
    (lambda: flow.env.machine([{"addr": "a"}, {"addr": "b"}]), "received 2"),
])
def test_several_devices_are_refused(call, text):
    with pytest.raises(NotImplementedError, match=text):
        call()


def test_what_says_nothing_on_one_device_is_accepted():
    flow.config.gpu_device_num(1)
    flow.config.enable_debug_mode(True)
    flow.config.collective_boxing.nccl_fusion_threshold_mb(16)
    flow.env.ctrl_port(1234)
    flow.env.init()
    config = flow.function_config()
    config.default_logical_view(flow.scope.mirrored_view())
    config.default_placement_scope(flow.scope.placement("cpu", "0:0"))
    config.enable_auto_mixed_precision(True)
    config.static_mem_alloc_policy_white_list.add("policy")
    views = []

    @flow.global_function("predict", config)
    def job(x: tp.Numpy.Placeholder((2,))) -> tp.Numpy:
        views.append((flow.scope.mirrored_view_enabled(), flow.scope.consistent_view_enabled()))
        with flow.scope.consistent_view(), flow.scope.placement("gpu", "0:0"):
            views.append((flow.scope.mirrored_view_enabled(), flow.scope.consistent_view_enabled()))
            w = flow.get_variable("w", (2,), initializer=lambda shape, dtype: np.ones(shape),
                                  distribute=flow.distribute.split(0))
            return flow.parallel_cast(x.with_distribute(flow.distribute.broadcast()) + w,
                                      distribute=flow.distribute.broadcast())

    np.testing.assert_array_equal(job(np.ones(2, np.float32)), [2, 2])
    assert views == [(True, False), (False, True)]


def test_names_that_are_not_here_say_so():
    with pytest.raises(AttributeError, match="oneflow.pack is not supported"):
        flow.pack
    with pytest.raises(AttributeError, match="no setting 'default_data_typo'"):
        flow.FunctionConfig().default_data_typo(flow.float)
    with pytest.raises(AttributeError, match="jobs are not quantized"):
        flow.FunctionConfig().enable_qat(True)
    with pytest.raises(AttributeError, match="no setting 'gpu_number'"):
        flow.config.gpu_number(1)


def test_default_data_type_and_initializer_of_a_job():
    config = flow.FunctionConfig()
    config.default_data_type(flow.float64)
    config.default_initializer_conf(lambda shape, dtype: np.full(shape, 3))

    @flow.global_function("predict", config)
    def job() -> tp.Numpy:
        return flow.get_variable("w", (2,))

    value = job()
    assert value.dtype == np.float64 and value.tolist() == [3, 3]


def test_a_function_may_ask_where_it_is_placed_and_what_was_set():
    config = flow.FunctionConfig()
    config.enable_inplace()
    config.default_placement_scope(flow.scope.placement("cpu", "0:0"))
    assert config.function_desc.enable_inplace is True and config.function_desc.enable_cudnn is False
    tags = []

    @flow.global_function("predict", config)
    def job() -> None:
        tags.append(flow.current_scope().device_parallel_desc_symbol.device_tag)

    job()
    assert tags == ["cpu"]
    with pytest.raises(RuntimeError, match="current_scope"):
        flow.current_scope()


def test_watch_is_handed_values_and_gradients(capsys):
    seen = {}

    def array(value: tp.Numpy):
        seen["array"] = value

    def arrays(value: tp.ListNumpy):
        seen["arrays"] = value

    def blob(value):
        seen["blob"] = value.numpy()

    @flow.global_function()
    def job(x: tp.Numpy.Placeholder((2,))) -> tp.Numpy:
        y = x + 1.0
        flow.watch(y, array)
        flow.watch(x, arrays)
        flow.watch(y, blob)
        flow.watch(x, "x is")
        return y * 2.0

    np.testing.assert_array_equal(job(np.zeros(2, np.float32)), [2, 2])
    assert seen["array"].tolist() == seen["blob"].tolist() == [1, 1] and seen["arrays"][0].tolist() == [0, 0]
    assert capsys.readouterr().out == "x is\n[0. 0.]\n"
    with pytest.raises(RuntimeError, match="belongs into a global function"):
        flow.watch(None)


def test_a_gradient_that_is_not_there_cannot_be_watched():
    @flow.global_function()
    def job(x: tp.Numpy.Placeholder((2,))) -> tp.Numpy:
        flow.watch_diff(x, lambda value: None)
        return x

    with pytest.raises(ValueError, match="no gradient reaches the blob 'Input_0' of the job 'job'"):
        job(np.zeros(2, np.float32))


class TestOfOneFlow(flow.unittest.TestCase):
    @flow.unittest.skip_unless_1n1d()
    def test_runs(self):
        self.assertEqual((flow.unittest.env.device_num(), flow.unittest.env.node_size()), (1, 1))
        self.assertFalse(flow.unittest.env.eager_execution_enabled())

    @flow.unittest.skip_unless_1n2d()
    def test_is_skipped(self):
        raise AssertionError
