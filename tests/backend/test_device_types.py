"""Kinds of device that are registered: places by their names, and tensors on them."""

import devices_of_tests
import proa as paddle
import pytest
from cupy_stand_in import KIND, StandIn
from proa.backend import device_type, register_device_type, unregister_device_type
from proa.core.errors import PlaceMismatchError


def test_places_of_a_registered_kind():
    with pytest.raises(RuntimeError, match="none was registered"):
        paddle.CustomPlace(KIND, 0)
    register_device_type(KIND, StandIn)
    try:
        place = paddle.CustomPlace(KIND, 0)
        assert place.is_custom_place() and place.is_device() and not place.is_gpu_place() and not place.is_cpu_place()
        assert (repr(place), place.get_device_type(), place.get_device_id()) == ("Place(stand_in:0)", KIND, 0)
        assert paddle.device.get_all_custom_device_type() == [KIND]
        assert paddle.device.get_available_custom_device() == [f"{KIND}:0"]
        assert paddle.device.is_compiled_with_custom_device(KIND)
        assert paddle.to_tensor([1.0], place=place).place == place
        with pytest.raises(ValueError, match="device type of this name"):
            register_device_type(KIND, object)
        with pytest.raises(ValueError, match="1 device"):
            paddle.set_device(f"{KIND}:1")
    finally:
        unregister_device_type(KIND)
    assert paddle.device.get_all_custom_device_type() == []
    with pytest.raises(ValueError, match="no device type"):
        device_type(KIND)


@pytest.mark.parametrize("name", ["cpu", "cuda", "two words", "1st"])
def test_names_that_no_kind_can_have(name):
    with pytest.raises(ValueError, match="named by a word"):
        register_device_type(name, object)


def test_new_tensors_are_made_there():
    before = paddle.get_device()
    with devices_of_tests.on_device():
        assert paddle.get_device() == f"{devices_of_tests.KIND}:0"
        x = paddle.ones([2])
        assert str(x.place) == f"Place({devices_of_tests.KIND}:0)" and x.numpy().tolist() == [1, 1]
        host = x.cpu()
        assert host.place == paddle.CPUPlace()
        x.stop_gradient = False
        found = [x + host, host * x, paddle.concat([host, x]), host[paddle.to_tensor([0])]]
        assert {y.place for y in found} == {x.place}  # what is on the host comes to the device, as in Paddle
        sum(y.sum() for y in found).backward()
        assert x.grad.tolist() == [3.0, 3.0]
        host.stop_gradient = False
        for mixed in (lambda: x * host, lambda: paddle.concat([host, x])):
            with pytest.raises(PlaceMismatchError):  # its gradient would be the device's
                mixed()
            with paddle.no_grad():
                assert mixed().place == x.place
        host = host.detach()
        host[0] = 9.0
        for y in (host, host + 1, host == 1, 1 - host, paddle.where(host > 1, host, 0.0)):
            assert y.place.is_cpu_place()  # numbers do not bring it there
    assert paddle.get_device() == before
