"""What trainers ask of checkpoints: to make one."""

from __future__ import annotations

from . import messages_pb2 as pb
from .checkpoint import Checkpoints
from .errors import RefusedError
from .grpc_service import Handler
from .state import ServerState


class CheckpointRequests:
    """The handler, on a server's state."""

    def __init__(self, state: ServerState, checkpoints: Checkpoints | None):
        self._state, self._checkpoints = state, checkpoints

    def handlers(self) -> dict[str, Handler]:
        """By the name of the service's method."""
        return {"Save": self._save}

    def _save(self, request: pb.Request) -> pb.Reply:
        state, checkpoints = self._state, self._checkpoints
        if checkpoints is None:
            raise RefusedError(f"The parameter server {state.endpoint} has no folder for checkpoints: "
                               f"Server(checkpoints) or FLAGS_ps_checkpoint_folder names one.")
        place = checkpoints.place_of(request.name) if request.name else None

        def save() -> dict[str, int]:
            number = request.total or state.rounds_done
            try:
                checkpoints.save(state, number, place)
            except OSError as error:  # a full disk, say: the trainer is told, and training goes on
                raise RefusedError(f"The parameter server {state.endpoint} could not save: {error}") from error
            return {"total": number}

        return state.once(request, lambda trainer: state.work.do(save))
