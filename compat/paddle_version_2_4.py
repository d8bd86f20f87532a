"""The last version of Paddle that has `paddle.fluid`, as `paddle.version` gives it under `install(api="2.4")`."""

from .paddle_version import commit, cuda, cudnn, istaged, mkl, with_mkl

full_version = "2.4.2"
major, minor, patch, rc = "2", "4", "2", "0"


def show() -> None:
    """Prints the version that is offered and who offers it."""
    from ..version import full_version as own

    print(f"full_version: {full_version} (offered by proa {own})")


__all__ = ["commit", "cuda", "cudnn", "full_version", "istaged", "major", "minor", "mkl", "patch", "rc", "show",
           "with_mkl"]
