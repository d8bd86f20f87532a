/* The gates of a step of GRU and LSTM cells, within the rounding of their kernels (`ops/nn/cell_gates.py`): one pass. */
#include "_vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

INLINE float sigmoid_of(float x) { return 1.0f / (1.0f + exp_of_float(-x > 88.0f ? 88.0f : -x)); }

/* By a polynomial where 1 - 2 / (exp(2x) + 1) loses digits; a NaN stays. */
INLINE float tanh_of(float x) {
    float away = x < 0.0f ? -x : x, square = x * x, p = square * -0.005528624635f + 0.02048330568f;
    p = p * square - 0.05369296297f;
    p = p * square + 0.1333089918f;
    p = p * square - 0.333332628f;
    float far = 1.0f - 2.0f / (exp_of_float(away > 44.0f ? 88.0f : away + away) + 1.0f);
    return away < 0.625f ? p * square * x + x : x < 0.0f ? -far : far;
}

INLINE void gru_row_body(const float *x, const float *h, const float *state, Py_ssize_t width, float *restrict gates,
                         float *restrict out) {
    for (Py_ssize_t n = 0; n < width; n++) {
        float reset = sigmoid_of(x[n] + h[n]), update = sigmoid_of(x[width + n] + h[width + n]);
        float new = tanh_of(reset * h[2 * width + n] + x[2 * width + n]);
        gates[n] = reset, gates[width + n] = update, gates[2 * width + n] = new;
        out[n] = (state[n] - new) * update + new;
    }
}
TWO_WAYS(gru_row, (const float *x, const float *h, const float *state, Py_ssize_t width, float *gates, float *out),
         (x, h, state, width, gates, out))

INLINE void lstm_row_body(const float *x, const float *c, Py_ssize_t width, float *restrict gates, float *restrict cell,
                          float *restrict out) {
    for (Py_ssize_t n = 0; n < width; n++) {
        float in = sigmoid_of(x[n]), forget = sigmoid_of(x[width + n]), new = tanh_of(x[2 * width + n]);
        float open = sigmoid_of(x[3 * width + n]), now = forget * c[n] + in * new;
        gates[n] = in, gates[width + n] = forget, gates[2 * width + n] = new, gates[3 * width + n] = open;
        cell[n] = now;
        out[n] = open * tanh_of(now);
    }
}
TWO_WAYS(lstm_row, (const float *x, const float *c, Py_ssize_t width, float *gates, float *cell, float *out),
         (x, c, width, gates, cell, out))

/* Whether it is an array of float32 whose elements lie one behind the other, of a shape but for the last size. */
static int fits(PyObject *given, const Array *as, Py_ssize_t width) {
    Array *x = (Array *)given;
    if (!is_plain_array(given) || x->dtype != dtypes_by_kind[FLOAT32] || x->dimensions_count != as->dimensions_count)
        return 0;
    int last = x->dimensions_count - 1;
    for (int n = 0; n < last; n++)
        if (x->dimensions[n] != as->dimensions[n]) return 0;
    return x->dimensions[last] == width;
}

/* A cell's inputs, `count` of them, of which those behind the first `wide` have the width of one gate. */
static PyObject *gates(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    int is_lstm = with != NULL, wide = is_lstm ? 1 : 2;
    Py_ssize_t parts = is_lstm ? 4 : 3;
    if (count != wide + 1 || (attrs && PyDict_GET_SIZE(attrs)) || !is_plain_array(inputs[0])) return declined_form();
    Array *x = (Array *)inputs[0];
    int rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]), whole = rank ? x->dimensions[rank - 1] : 0, width = whole / parts;
    if (rank < 1 || rank > MOST_DIMENSIONS || size < 1 || size > most_elements() || whole % parts
        || !fits(inputs[0], x, whole) || (!is_lstm && !fits(inputs[1], x, whole)) || !fits(inputs[wide], x, width))
        return declined_form();
    Py_ssize_t sizes[MOST_DIMENSIONS];
    memcpy(sizes, x->dimensions, sizeof *sizes * (size_t)rank);
    PyObject *all = new_array(FLOAT32, rank, sizes), *result = NULL;
    sizes[rank - 1] = width;
    PyObject *out = new_array(FLOAT32, rank, sizes), *cell = is_lstm ? new_array(FLOAT32, rank, sizes) : NULL;
    if (all && out && (cell || !is_lstm)) {
        const float *first = (const float *)x->data, *second = (const float *)((Array *)inputs[1])->data;
        const float *state = (const float *)((Array *)inputs[wide])->data;
        float *kept = (float *)((Array *)all)->data, *made = (float *)((Array *)out)->data;
        for (Py_ssize_t row = 0; row < size / whole; row++) {
            Py_ssize_t at = row * whole, of = row * width;
            if (is_lstm) lstm_row(first + at, state + of, width, kept + at, (float *)((Array *)cell)->data + of, made + of);
            else gru_row(first + at, second + at, state + of, width, kept + at, made + of);
        }
        result = is_lstm ? PyTuple_Pack(3, out, cell, all) : PyTuple_Pack(2, out, all);
    }
    Py_XDECREF(all);
    Py_XDECREF(out);
    Py_XDECREF(cell);
    return result;
}

const FormEntry gate_forms[] = {{"gru_gates", gates, NULL}, {"lstm_gates", gates, ""}, {NULL, NULL, NULL}};
