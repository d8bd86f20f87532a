"""The version of Paddle whose API is offered, as `paddle.version` gives it."""

full_version = "2.6.2"
major, minor, patch, rc = "2", "6", "2", "0"
istaged = True
commit = "unknown"
with_mkl = "OFF"


def show() -> None:
    """Prints the version that is offered and who offers it.

    >>> from proa.compat import paddle_version
    >>> paddle_version.show()
    full_version: 2.6.2 (offered by proa 0.1.0)
    """
    from ..version import full_version as own

    print(f"full_version: {full_version} (offered by proa {own})")


def cuda() -> str:
    """The CUDA version built against, or 'False': CUDA is CuPy's business here.

    >>> from proa.compat import paddle_version  # `paddle.version`, where proa answers `import paddle`
    >>> paddle_version.cuda()
    'False'
    """
    return "False"


def cudnn() -> str:
    """The cuDNN version built against, or 'False'.

    >>> from proa.compat import paddle_version
    >>> paddle_version.cudnn()
    'False'
    """
    return "False"


def xpu() -> str:
    """The version built against for XPUs: 'False', there is none.

    >>> from proa.compat import paddle_version
    >>> paddle_version.xpu()
    'False'
    """
    return "False"


def xpu_xccl() -> str:
    """The version of the XPUs' communication: 'False', there is none.

    >>> from proa.compat import paddle_version
    >>> paddle_version.xpu_xccl()
    'False'
    """
    return "False"


def cinn() -> str:
    """The version of the compiler CINN that is built in: 'False', there is none."""
    return "False"


def mkl() -> str:
    """Whether MKL is built in."""
    return with_mkl
