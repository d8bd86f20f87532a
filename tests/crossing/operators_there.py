"""Where PaddlePaddle 2.6.2 runs the file of a record's call otherwise than proa, or not at all: by why."""

#: why -> {dtypes of the inputs: records}; a row that no longer differs fails.
_DIFFERENT = {
    "no function has another beta, and PaddlePaddle's kernel reads none": {
        "itself, float32": ["swish-beta"]},
    "gradients that are not finite are not looked at, whatever they are": {
        "itself, float32": ["check_finite_and_unscale-infinite"]},
    "eigenvalues have no order": {
        "float32": ["eig"]},
    "no kernel for complex numbers; refused": {
        "itself, float32, mixed": ["triangular_solve-householder complex", "cholesky-complex",
                                   "cholesky-complex upper"]},
    "loss scaling belongs to training: no file of a model has it; refused": {
        "mixed": ["check_finite_and_unscale", "check_finite_and_unscale-infinite",
                  *[f"update_loss_scaling-{found}-{good}-{bad}" for found, good, bad in (
                      (False, 0, 0), (False, 1, 0), (False, 0, 1), (True, 0, 0), (True, 1, 0), (True, 0, 1))]]},
    "no kernel for float64; refused": {
        "itself, mixed": ["quantize_linear", "quantize_linear-by channel, of 4 bits",
                          "quantize_linear-of what is 0 everywhere", "quantize_linear-that only observes",
                          "fake_quantize_dequantize_moving_average_abs_max",
                          "fake_quantize_dequantize_moving_average_abs_max-in training",
                          "moving_average_abs_max_scale", "moving_average_abs_max_scale-in training"],
        "itself": ["fake_quantize_dequantize_abs_max", "fake_quantize_dequantize_abs_max-to even",
                   "fake_channel_wise_quantize_dequantize_abs_max"]},
    "of equal elements the first; PaddlePaddle takes any": {
        "int32, int64": ["top_k_v2-smallest", "top_k_v2-of many", "top_k_v2-tensor"]},
    "it makes no value there, so that nothing can be added to it": {
        "itself, float32": ["fake_init"]},
    "outside of -1 … 1: infinite there, NaN here": {
        "int32, int64": ["erfinv"]},
}

#: record -> {dtype: why}
DIFFERENCES: dict[str, dict[str, str]] = {}
for _why, _rows in _DIFFERENT.items():
    for _dtypes, _records in _rows.items():
        for _record in _records:
            DIFFERENCES.setdefault(_record, {}).update(dict.fromkeys(_dtypes.split(", "), _why))
