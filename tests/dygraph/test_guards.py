"""`no_grad` and its like around generators, decorated functions and threads."""

import threading

import proa as paddle
import pytest


@paddle.no_grad()
def _echo():
    """Gives back what is sent, and what is thrown; nothing here is recorded."""
    given = None
    while True:
        try:
            given = yield given, paddle.is_grad_enabled()
        except ValueError as error:
            given = str(error)


def test_generators_are_sent_values_and_thrown_errors():
    generator = _echo()
    assert next(generator) == (None, False)
    assert generator.send("one") == ("one", False)
    assert generator.throw(ValueError("two")) == ("two", False)
    assert paddle.is_grad_enabled()
    with pytest.raises(KeyError):
        generator.throw(KeyError("three"))


def test_generators_are_closed():
    seen = []

    @paddle.no_grad()
    def items():
        try:
            yield 1
        finally:
            seen.append(paddle.is_grad_enabled())

    generator = items()
    next(generator)
    generator.close()
    assert seen == [False] and paddle.is_grad_enabled()


def test_calls_of_one_decorated_function_in_threads_end_in_any_order():
    entered, both, found = threading.Event(), threading.Event(), {}

    @paddle.no_grad()
    def call(until):
        until()

    def first():
        call(lambda: (entered.set(), both.wait(10)))
        found["first"] = paddle.is_grad_enabled()

    def second():
        entered.wait(10)
        with paddle.no_grad():
            call(lambda: (both.set(), threads[0].join(10)))
            found["second"] = paddle.is_grad_enabled()

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"first": True, "second": False}


def test_set_grad_enabled_as_a_decorator_concerns_its_function_alone():
    @paddle.set_grad_enabled(False)
    def asked():
        return paddle.is_grad_enabled()

    assert paddle.is_grad_enabled() and asked() is False and paddle.is_grad_enabled()
