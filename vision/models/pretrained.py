"""What models have in common: their answer where weights are to be downloaded, and sizes of layers."""

from __future__ import annotations


def refuse_download(name: str, pretrained: bool) -> None:
    """Raises NotImplementedError, which tells how to load weights from a file, where `pretrained` asks for them."""
    if pretrained:
        raise NotImplementedError(
            f"{name}(pretrained=True): weights are not downloaded here. Get the file {name}.pdparams, which "
            f"PaddlePaddle's models share, and load it: model = {name}(); "
            f"model.set_state_dict(paddle.load('{name}.pdparams')).")


def divisible(value: float, divisor: int = 8) -> int:
    """The multiple of `divisor` nearest to `value`, at least one and never a tenth below: channels of scaled layers."""
    nearest = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * value else nearest
