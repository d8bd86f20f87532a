"""What ends a round, and what ends a trainer's work."""

from __future__ import annotations

from . import messages_pb2 as pb
from .errors import RefusedError, UpdateError, WaitedTooLongError
from .grpc_service import Handler
from .rounds import Round
from .state import HALF_ASYNC, SYNC, ServerState
from .table_requests import TableRequests


class RoundRequests:
    """The handlers, on a server's state."""

    def __init__(self, state: ServerState, tables: TableRequests):
        self._state, self._tables = state, tables

    def handlers(self) -> dict[str, Handler]:
        """By the names of the service's methods."""
        return {"Join": self._join, "FetchBarrier": self._join, "SendBarrier": self._send_barrier,
                "Complete": self._complete}

    def _join(self, request: pb.Request) -> pb.Reply:
        with self._state.changed:
            self._state.trainer(request)
        return self._state.reply(text=self._state.mode)

    def _send_barrier(self, request: pb.Request) -> pb.Reply:
        state, number = self._state, request.round
        with state.changed:
            trainer = state.trainer(request)
            if state.mode not in (SYNC, HALF_ASYNC):
                return state.reply()
            if number > state.round.number or number == state.round.number and not state.round.is_closing and (
                    state.round.count_of(trainer.number) < request.total):
                return state.reply(lacks=True)
            if number == state.round.number and not state.round.is_closing:
                state.round.arrive(trainer.number)
                self._close_if_complete()
            state.changed.wait_for(lambda: state.round.number > number or state.work.has_ended, state.options.poll)
            if state.round.number > number:
                return state.reply()
            if state.work.has_ended:
                raise state.work.as_answer()
            return state.reply(waits=True, text=self.waits_for())

    def _close_if_complete(self) -> None:
        state = self._state
        if not state.round.is_closing and state.round.is_complete([each.number for each in state.working()]):
            state.round.is_closing = True
            closing = state.round.closed()  # now: who begins again before the updates takes nothing out of the round
            state.work.do(lambda: self._close(closing))

    def _close(self, closing: Round) -> None:
        state = self._state
        if state.mode == SYNC:
            if state.before_updates is not None:
                state.before_updates()
            for name, update in state.updates.items():
                values = closing.values_of(name)
                if values:
                    update.run(values)
            try:
                self._tables.close(closing)
            except RefusedError as error:  # nobody is left to refuse it to
                raise UpdateError(str(error)) from error
        state.rounds_done = closing.number + 1
        state.after_change()  # before anybody is told that the round is done
        with state.changed:
            state.round = Round(state.rounds_done)
            state.changed.notify_all()

    def _complete(self, request: pb.Request) -> pb.Reply:
        state = self._state
        with state.changed:
            trainer = state.trainer(request)
            if not trainer.has_completed:
                trainer.has_completed = True
                state.round.forget(trainer.number)
                if not state.work.has_ended:
                    self._close_if_complete()
            state.work.wake()
        return state.reply()

    def waits_for(self) -> str:
        """Whom the round waits for, and since when."""
        state = self._state
        missing = state.round.missing(each.number for each in state.working())
        return (f"round {state.round.number} of the parameter server {state.endpoint} has been waiting for "
                f"{state.round.waited():.0f} s for {', '.join(str(state.trainers[number]) for number in missing)}")

    def look_for_silence(self) -> None:
        """Ends the server where somebody has been waited for too long."""
        state, limit = self._state, self._state.options.deadline
        with state.changed:
            expected = state.working()
            if not state.round.is_closing and state.round.waited() > limit:
                state.work.fail(WaitedTooLongError(f"{self.waits_for()}, longer than {limit:g} s "
                                                   f"(FLAGS_communication_timeout)."))
            elif expected and all(each.silence(state.begun) > limit for each in expected):
                state.work.fail(WaitedTooLongError(
                    f"The parameter server {state.endpoint} has not heard of {', '.join(map(str, expected))} for "
                    f"{limit:g} s (FLAGS_communication_timeout)."))
