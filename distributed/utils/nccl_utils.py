"""`paddle.distributed.utils.nccl_utils`: NCCL's version in words."""

__all__ = ["get_nccl_version_str"]


def get_nccl_version_str(ver: int) -> str:
    """The version that a number of NCCL's stands for.

    >>> from proa.distributed.utils.nccl_utils import get_nccl_version_str
    >>> get_nccl_version_str(2708), get_nccl_version_str(21803)
    ('2.7.8', '2.18.3')
    """
    step = 10000 if ver >= 10000 else 1000
    return f"{ver // step}.{ver % step // 100}.{ver % 100}"
