"""Exchanges that go on while a process computes, and who watches them."""

import threading

import pytest
from proa.backend.comm import exchanges


@pytest.mark.parametrize("at_once", [False, True])
def test_a_watcher_that_fails_is_told_where_somebody_waits(monkeypatch, at_once):
    told = []

    def watcher(*_):
        raise LookupError("what watches has failed")

    monkeypatch.setattr(exchanges, "watchers", [watcher, lambda name, begin, end: told.append((name, begin <= end))])
    exchange = exchanges.begin(lambda: 3, at_once, "one")
    raised = []

    def wait():
        with pytest.raises(LookupError, match="has failed") as error:
            exchange.wait()
        raised.append(error)

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    waiting.join(100)
    assert raised and exchange.is_completed() and told == [("one", True)]
    monkeypatch.setattr(exchanges, "watchers", [])
    assert exchanges.begin(lambda: 4).wait() == 4  # and the next one is done
