"""Why an answer differs on purpose. docs/differences.md tells users of each."""

import re

BOOLS = "bools and numbers: PaddlePaddle keeps bool, so that True + 2 is True; here they are integers"
LEFT = "two dtypes: PaddlePaddle takes the left operand's in places, and cuts; here both decide"
CUT = "the mean of integers is a float here; PaddlePaddle cuts it"
COMPLEX = "PaddlePaddle drops the imaginary part, or takes it for 0"
_MEANS = ("paddle.mean(", "paddle.nanmean(", "paddle.nanmedian(", "x.mean()", "F.mse_loss(", "paddle.linalg.cov(")
_ONE_BY_ONE = {
    "paddle.deg2rad(x)": "degrees of bools are no bools", "paddle.rad2deg(x)": "radians of bools are no bools",
    "paddle.sum(x)": "sums of uint8, int8 and int16 are int64 here, and do not overflow",
    "paddle.sum(x, axis=0)": "sums of uint8, int8 and int16 are int64 here, and do not overflow",
    "paddle.tolist(x)": "of bfloat16 PaddlePaddle gives the bits",
    "x.tolist()": "of bfloat16 PaddlePaddle gives the bits",
    "x.numpy().dtype.name": "of bfloat16 PaddlePaddle gives the bits",
    "paddle.divide(x, y)": "integers are divided as floats; PaddlePaddle cuts the quotient here, and not in x / y",
    "paddle.gcd(x, y)": "floats have no common divisor", "300 ** x": "beyond the range of int32",
    "2.5 ** x": "the last digit in 8 bits",
    "F.cross_entropy(x.astype('float32'), x[:, 0] % 3)": "class numbers that are no whole numbers are refused here",
    "paddle.masked_fill(x, c, y[0, 0])": LEFT, "paddle.full_like(x, y[0, 0])": COMPLEX, "paddle.assign(x, y + 0)": LEFT,
    "paddle.stack([x, y])": LEFT, "paddle.add_n([x, y])": LEFT, "x @ m": LEFT, "paddle.ldexp(x, y)": LEFT,
    "paddle.scale(x, 2.0, 0.5)": BOOLS, "paddle.scale(x, 2.0, 0.5, False)": BOOLS,
}


def reason(case, theirs, ours):
    """The reason; None where there is none."""
    expression, *dtypes = case
    found = _ONE_BY_ONE.get(expression)
    if found:
        return found
    if expression.startswith(_MEANS):
        return CUT
    if "1j" in expression:
        return COMPLEX
    if expression.startswith("paddle.where(") and "2.5" in expression:
        return "a float takes the dtype of the tensor beside it here; PaddlePaddle makes float64 of both"
    if expression.startswith("paddle.pow(") and re.search(r"0\.5|2\.5", expression):
        return "an exponent that is no whole number makes a float here; PaddlePaddle cuts it for integers"
    if re.fullmatch(r"x (//|%) (-1|300)", expression):
        return "a number beyond the dtype is refused here; PaddlePaddle takes its lowest bits"
    if re.fullmatch(r"(x|-1) (==|<|>=) (x|-1|300)", expression) or re.search(r" (==|!=|<|<=|>|>=) ", expression):
        return "compared by value here; PaddlePaddle brings both to the left operand's dtype"
    if dtypes[0] == "bool" and re.search(r"[-+*/] ", expression):
        return BOOLS
    if re.search(r"^(x|np.array\(.*\)) (\+|-|\*|/|//|%|\*\*) (x|y|np\..*)$", expression):
        return LEFT
    return None
