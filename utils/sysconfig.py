"""`paddle.sysconfig`: folders of headers and libraries for extensions in C++; proa is Python only and has none."""


def get_include() -> str:
    """NotImplementedError: there are no C++ headers to compile against."""
    raise NotImplementedError("get_include(): proa is written in Python and has no C++ headers. Write an operator of "
                              "your own with paddle.autograd.PyLayer.")


def get_lib() -> str:
    """NotImplementedError: there is no C++ library to link with."""
    raise NotImplementedError("get_lib(): proa is written in Python and has no C++ library. Write an operator of your "
                              "own with paddle.autograd.PyLayer.")


__all__ = ["get_include", "get_lib"]
