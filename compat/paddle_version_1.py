"""The last version of Paddle 1.x, as `paddle.version` gives it where `install(api="1.8")` asked for that API."""

from .paddle_version import commit, cuda, cudnn, istaged, mkl, with_mkl

full_version = "1.8.5"
major, minor, patch, rc = "1", "8", "5", "0"


def show() -> None:
    """Prints the version that is offered and who offers it."""
    from ..version import full_version as own

    print(f"full_version: {full_version} (offered by proa {own})")


__all__ = ["commit", "cuda", "cudnn", "full_version", "istaged", "major", "minor", "mkl", "patch", "rc", "show",
           "with_mkl"]
