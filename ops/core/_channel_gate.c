/* The gates of squeeze-and-excitation of images whose channels lie side by side, as `backend/kernels/channel_gate.py` has
   them in a loop, before that is worth its making. */
#include "_vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

typedef struct {
    Py_ssize_t size, channels, inner; /* places of an image; channels of it, and between the products */
    const float *first, *first_bias, *second, *second_bias;
    int is_hard, is_multiplied;
    float slope, offset;
} Gate;

enum { PART = 64 }; /* places that are summed at a time, which keeps sums accurate */

INLINE float product(const float *x, const float *y, Py_ssize_t count) {
    float sums[8] = {0}, total = 0.0f;
    Py_ssize_t n = 0;
    for (; n + 8 <= count; n += 8)
        for (int k = 0; k < 8; k++) sums[k] += x[n + k] * y[n + k];
    for (; n < count; n++) total += x[n] * y[n];
    for (int k = 0; k < 8; k++) total += sums[k];
    return total;
}

/* One image. `room` has 2 * channels + inner numbers. */
INLINE void gated_body(const Gate *of, const float *restrict x, float *restrict room, float *restrict out) {
    Py_ssize_t channels = of->channels;
    float *restrict totals = room, *restrict part = room + channels, *restrict hidden = part + channels;
    memset(totals, 0, sizeof *totals * (size_t)channels);
    for (Py_ssize_t begin = 0; begin < of->size; begin += PART) {
        memset(part, 0, sizeof *part * (size_t)channels);
        for (Py_ssize_t i = begin; i < of->size && i < begin + PART; i++)
            for (Py_ssize_t c = 0; c < channels; c++) part[c] += x[i * channels + c];
        for (Py_ssize_t c = 0; c < channels; c++) totals[c] += part[c];
    }
    for (Py_ssize_t r = 0; r < of->inner; r++) {
        float value = product(of->first + r * channels, totals, channels) / (float)of->size;
        value += of->first_bias ? of->first_bias[r] : 0.0f;
        hidden[r] = value < 0.0f ? 0.0f : value; /* a NaN stays, as below */
    }
    for (Py_ssize_t c = 0; c < channels; c++)
        part[c] = product(of->second + c * of->inner, hidden, of->inner) + (of->second_bias ? of->second_bias[c] : 0.0f);
    if (of->is_hard)
        for (Py_ssize_t c = 0; c < channels; c++) {
            float gate = part[c] * of->slope + of->offset;
            gate = gate < 0.0f ? 0.0f : gate;
            part[c] = gate > 1.0f ? 1.0f : gate;
        }
    else
        for (Py_ssize_t c = 0; c < channels; c++)
            part[c] = 1.0f / (1.0f + exp_of_float(-part[c] > 88.0f ? 88.0f : -part[c]));
    if (!of->is_multiplied) memcpy(out, part, sizeof *out * (size_t)channels);
    else
        for (Py_ssize_t i = 0; i < of->size; i++)
            for (Py_ssize_t c = 0; c < channels; c++) out[i * channels + c] = x[i * channels + c] * part[c];
}
TWO_WAYS(gated, (const Gate *of, const float *x, float *room, float *out), (of, x, room, out))

const char gate_channels_doc[] =
    "gate_channels($module, image, first, first_bias, second, second_bias, out, is_hard, is_multiplied, slope, offset, /)\n"
    "--\n\n"
    "Fills `out` [n, h, w, c] with the image, which lies so too, times its gates, or [n, 1, 1, c] with these alone: whether\n"
    "it did. `first` has c numbers for each channel between, `second` one of these for each of c.";

PyObject *gate_channels(PyObject *module, PyObject *arguments) {
    PyObject *image, *first, *first_bias, *second, *second_bias, *out;
    Gate of;
    if (!PyArg_ParseTuple(arguments, "OOOOOOppff", &image, &first, &first_bias, &second, &second_bias, &out, &of.is_hard,
                          &of.is_multiplied, &of.slope, &of.offset))
        return NULL;
    Array *x = (Array *)image;
    if (!is_plain_array(image) || !is_plain_array(first) || x->dimensions_count != 4 || size_of(image) < 1 ||
        x->dtype != dtypes_by_kind[FLOAT32] || !is_plain_array(out) || !(((Array *)out)->flags & WRITEABLE))
        Py_RETURN_FALSE;
    Py_ssize_t images = x->dimensions[0];
    of.channels = x->dimensions[3], of.size = x->dimensions[1] * x->dimensions[2];
    of.inner = size_of(first) / of.channels;
    int fits = 1;
    of.first = numbers_of(first, of.inner * of.channels, &fits);
    of.second = numbers_of(second, of.inner * of.channels, &fits);
    of.first_bias = numbers_of(first_bias, of.inner, &fits), of.second_bias = numbers_of(second_bias, of.channels, &fits);
    Py_ssize_t apart = of.is_multiplied ? of.size * of.channels : of.channels;
    float *to = (float *)numbers_of(out, images * apart, &fits);
    if (!fits || !of.first || !of.second || !to || of.inner < 1) Py_RETURN_FALSE;
    float *room = PyMem_RawMalloc(sizeof *room * (size_t)(2 * of.channels + of.inner));
    if (!room) return PyErr_NoMemory();
    const float *from = (const float *)x->data;
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t n = 0; n < images; n++) gated(&of, from + n * of.size * of.channels, room, to + n * apart);
    Py_END_ALLOW_THREADS
    PyMem_RawFree(room);
    Py_RETURN_TRUE;
}
