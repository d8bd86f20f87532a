"""What goes wrong between trainers and parameter servers."""


class RefusedError(ValueError):
    """A server refused a message: of an unknown name, of another shape or dtype, too large, without the token…"""


class SilentServerError(ConnectionError):
    """A parameter server did not answer in time, by whatever reason: it ended, or the network is cut."""


class WaitedTooLongError(TimeoutError):
    """Trainers did not come to the end of a round in time, or all of them are silent."""


class UpdateError(RuntimeError):
    """An update failed on a server, which has ended by it; the message is that of the server's error."""
