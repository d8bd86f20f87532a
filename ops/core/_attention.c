/* Attention over few positions and its gradient, head by head, within the rounding of their kernels
   (`ops/nn/attention_kernels.py`): products by the libraries that NumPy and the kernels call, the rest in one pass. */
#include "_attention.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { SCORES_AT_MOST = 1 << 16 }; /* of a head: two buffers that stay in a core's cache */

int read_heads(PyObject *given, Heads *heads) {
    Array *x = (Array *)given;
    if (Py_TYPE(given) != array_type || x->dtype != dtypes_by_kind[FLOAT32] || x->dimensions_count != RANK
        || !(x->flags & ALIGNED))
        return 0;
    heads->data = (float *)x->data;
    for (int n = 0; n < RANK; n++) {
        Py_ssize_t size = x->dimensions[n], step = x->strides[n];
        if (size < 1 || step % 4 || (size > 1 && step < 4)) return 0;
        heads->sizes[n] = size;
        heads->steps[n] = step / 4;
    }
    if (x->dimensions[3] > 1 && x->strides[3] != 4) return 0;
    if (heads->sizes[2] == 1 || heads->steps[2] < heads->sizes[3]) heads->steps[2] = heads->sizes[3];
    return heads->sizes[2] == 1 || x->strides[2] / 4 >= heads->sizes[3];
}

PyObject *room_like(PyObject *given, const Py_ssize_t *sizes) {
    Array *x = (Array *)given;
    Py_ssize_t strides[RANK], step = 4;
    int order[RANK] = {0, 1, 2, 3};
    if (x->flags & C_CONTIGUOUS) return new_array(FLOAT32, RANK, sizes);
    for (int n = 1; n < RANK; n++)
        for (int m = n; m > 0 && x->strides[order[m - 1]] < x->strides[order[m]]; m--) {
            int moved = order[m];
            order[m] = order[m - 1], order[m - 1] = moved;
        }
    if (order[RANK - 1] != RANK - 1) return NULL;
    for (int n = RANK - 1; n >= 0; n--) strides[order[n]] = step, step *= sizes[order[n]];
    return new_array_lying(FLOAT32, RANK, sizes, strides);
}

static int read_mask(PyObject *given, const Py_ssize_t *scores, Mask *mask) {
    Array *x = (Array *)given;
    *mask = (Mask){NULL, {0}};
    if (given == Py_None) return 1;
    if (Py_TYPE(given) != array_type || x->dtype != dtypes_by_kind[FLOAT32] || x->dimensions_count > RANK
        || !(x->flags & ALIGNED))
        return 0;
    mask->data = (const float *)x->data;
    for (int n = 0; n < x->dimensions_count; n++) {
        int at = RANK - x->dimensions_count + n;
        if (x->strides[n] % 4 || (x->dimensions[n] != 1 && x->dimensions[n] != scores[at])) return 0;
        mask->steps[at] = x->dimensions[n] == 1 ? 0 : x->strides[n] / 4;
    }
    return 1;
}

int read_inputs(PyObject *const *inputs, Attention *a) {
    if (!read_heads(inputs[0], &a->q) || !read_heads(inputs[1], &a->k) || !read_heads(inputs[2], &a->v)) return 0;
    a->batch = a->q.sizes[0], a->heads = a->q.sizes[1], a->queries = a->q.sizes[2], a->features = a->q.sizes[3];
    a->keys = a->k.sizes[2], a->wide = a->v.sizes[3];
    for (int n = 0; n < 2; n++)
        if (a->k.sizes[n] != a->q.sizes[n] || a->v.sizes[n] != a->q.sizes[n]) return 0;
    if (a->k.sizes[3] != a->features || a->v.sizes[2] != a->keys || (a->causal && a->queries != a->keys)) return 0;
    Py_ssize_t scores[RANK] = {a->batch, a->heads, a->queries, a->keys};
    return read_mask(inputs[3], scores, &a->mask);
}

/* Whether the inputs and attributes are those of attention over few positions. */
static int read_attention(PyObject *const *inputs, PyObject *attrs, Attention *a) {
    double scale;
    a->causal = 0;
    if (number_attribute(attrs, name_scale, &scale) != 1 || truth_attribute(attrs, name_causal, &a->causal) < 0 ||
        !read_inputs(inputs, a)) return 0;
    a->scale = (float)scale;
    if (a->queries > SCORES_AT_MOST || a->keys > SCORES_AT_MOST || a->queries * a->keys > SCORES_AT_MOST) return 0;
    Py_ssize_t features = a->features > a->wide ? a->features : a->wide;
    return is_for_one_thread((double)a->batch * (double)a->heads * (double)(a->queries * a->keys) * (double)features)
        && is_product_at_hand(a->queries, a->keys, features);
}

void add_mask(const Attention *a, Py_ssize_t batch, Py_ssize_t head, Py_ssize_t first, Py_ssize_t rows, Py_ssize_t keys,
              float *scores) {
    const float *added = a->mask.data;
    if (!added) return;
    added += batch * a->mask.steps[0] + head * a->mask.steps[1] + first * a->mask.steps[2];
    Py_ssize_t step = a->mask.steps[3];
    for (Py_ssize_t row = 0; row < rows; row++, scores += keys, added += a->mask.steps[2])
        if (step == 1)
            for (Py_ssize_t n = 0; n < keys; n++) scores[n] += added[n];
        else
            for (Py_ssize_t n = 0; n < keys; n++) scores[n] += added[n * step];
}

/* scale * q · kᵀ + mask of a head, with -inf at keys behind their query: 0 where it failed. */
static int scores_of(const Attention *a, Py_ssize_t batch, Py_ssize_t head, float *scores) {
    if (!product_into(scores, a->keys, head_of(&a->q, batch, head), a->q.steps[2], 0, head_of(&a->k, batch, head),
                      a->k.steps[2], 1, a->queries, a->keys, a->features, a->scale))
        return 0;
    add_mask(a, batch, head, 0, a->queries, a->keys, scores);
    for (Py_ssize_t row = 0; row < a->queries && a->causal; row++)
        for (Py_ssize_t n = row + 1; n < a->keys; n++) scores[row * a->keys + n] = -INFINITY;
    return 1;
}

int short_rows(const float *x, float *out, double *logsums, Py_ssize_t rows, Py_ssize_t count) {
    for (Py_ssize_t row = 0; row < rows; row++, x += count, out += count) {
        float top = x[0];
        double sum = 0;
        for (Py_ssize_t n = 1; n < count; n++) top = x[n] > top ? x[n] : top;
        for (Py_ssize_t n = 0; n < count; n++) sum += out[n] = exp_of_float(x[n] - top);
        if (!isfinite(sum) || !isfinite(top)) return 0;
        for (Py_ssize_t n = 0; n < count; n++) out[n] = (float)(out[n] / sum);
        logsums[row] = (double)top + log(sum);
    }
    return 1;
}

static PyObject *attention(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    PyObject *all[RANK] = {NULL, NULL, NULL, Py_None};
    Attention a;
    if (count < 3 || count > 4) return declined_form();
    for (Py_ssize_t n = 0; n < count; n++) all[n] = inputs[n];
    if (!read_attention(all, attrs, &a)) return declined_form();
    Py_ssize_t sizes[RANK] = {a.batch, a.heads, a.queries, a.wide}, cells = a.queries * a.keys;
    PyObject *out = room_like(inputs[0], sizes), *totals = out ? new_array(FLOAT32, 3, sizes) : NULL, *result = NULL;
    float *scores = totals ? PyMem_Malloc(sizeof(float) * (size_t)cells * 2) : NULL, *weights = scores + (scores ? cells : 0);
    double *logsums = scores ? PyMem_Malloc(sizeof(double) * (size_t)a.queries) : NULL;
    int fits = 1;
    if (!out && !PyErr_Occurred()) return declined_form();
    if (!logsums) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        goto done;
    }
    Heads target;
    float *total = (float *)((Array *)totals)->data;
    fits = read_heads(out, &target);
    for (Py_ssize_t b = 0; fits && b < a.batch; b++)
        for (Py_ssize_t h = 0; fits && h < a.heads; h++, total += a.queries) {
            fits = scores_of(&a, b, h, scores)
                && (a.keys < LEAST_OF_SOFTMAX ? short_rows : softmax_rows)(scores, weights, logsums, a.queries, a.keys)
                && product_into(head_of(&target, b, h), target.steps[2], weights, a.keys, 0, head_of(&a.v, b, h),
                                a.v.steps[2], 0, a.queries, a.wide, a.keys, 1.0f);
            for (Py_ssize_t row = 0; fits && row < a.queries; row++) total[row] = (float)logsums[row];
        }
    result = fits ? PyTuple_Pack(2, out, totals) : declined_form();
done:
    PyMem_Free(scores);
    PyMem_Free(logsums);
    Py_XDECREF(out);
    Py_XDECREF(totals);
    return result;
}

/* Makes the weights of scores, and of `u` the gradient of scale * q · kᵀ, row by row. A logarithm that is far from 0, as
   that of a row of which a mask of -1e9 hides all, has no digits for the sum: there weights are divided by what they add
   up to. */
enum { FAR = 64 };
INLINE void slope_row_body(float *restrict scores, float *restrict u, Py_ssize_t count, float total, float scale) {
    float parts[8] = {0}, share = 0;
    for (Py_ssize_t n = 0; n < count; n++) scores[n] = exp_of_float(scores[n] - total);
    if (fabsf(total) > FAR) {
        float sum = 0;
        for (Py_ssize_t n = 0; n < count; n++) sum += scores[n];
        for (Py_ssize_t n = 0; n < count; n++) scores[n] /= sum;
    }
    Py_ssize_t whole = count / 8 * 8;
    for (Py_ssize_t n = 0; n < whole; n += 8)
        for (int m = 0; m < 8; m++) parts[m] += u[n + m] * scores[n + m];
    for (Py_ssize_t n = whole; n < count; n++) share += u[n] * scores[n];
    share += ((parts[0] + parts[4]) + (parts[2] + parts[6])) + ((parts[1] + parts[5]) + (parts[3] + parts[7]));
    for (Py_ssize_t n = 0; n < count; n++) u[n] = (u[n] - share) * scores[n] * scale;
}
TWO_WAYS(slope_row, (float *scores, float *u, Py_ssize_t count, float total, float scale), (scores, u, count, total, scale))
void slope_of_row(float *scores, float *u, Py_ssize_t count, float total, float scale) {
    slope_row(scores, u, count, total, scale);
}

static PyObject *attention_grad(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Attention a;
    Heads g, dq, dk, dv;
    int with_mask = 0;
    if (count != 6 || truth_attribute(attrs, name_with_mask, &with_mask) < 0 || with_mask
        || !read_attention(inputs, attrs, &a) || !read_heads(inputs[5], &g) || !is_plain_array(inputs[4]))
        return declined_form();
    Array *totals = (Array *)inputs[4];
    Py_ssize_t expected[RANK] = {a.batch, a.heads, a.queries, a.wide}, cells = a.queries * a.keys;
    if (memcmp(g.sizes, expected, sizeof expected) || totals->dtype != dtypes_by_kind[FLOAT32]
        || totals->dimensions_count != 3 || memcmp(totals->dimensions, expected, 3 * sizeof *expected))
        return declined_form();
    PyObject *made[3] = {NULL}, *result = NULL;
    float *scores = NULL;
    for (int n = 0; n < 3; n++)
        if (!(made[n] = room_like(inputs[n], ((Array *)inputs[n])->dimensions))) {
            if (!PyErr_Occurred()) result = declined_form();
            goto done;
        }
    if (!(scores = PyMem_Malloc(sizeof(float) * (size_t)cells * 2))) {
        PyErr_NoMemory();
        goto done;
    }
    float *u = scores + cells;
    const float *total = (const float *)totals->data;
    int fits = read_heads(made[0], &dq) && read_heads(made[1], &dk) && read_heads(made[2], &dv);
    for (Py_ssize_t b = 0; fits && b < a.batch; b++)
        for (Py_ssize_t h = 0; fits && h < a.heads; h++, total += a.queries) {
            const float *q = head_of(&a.q, b, h), *k = head_of(&a.k, b, h), *v = head_of(&a.v, b, h), *upper = head_of(&g, b, h);
            fits = scores_of(&a, b, h, scores)
                && product_into(u, a.keys, upper, g.steps[2], 0, v, a.v.steps[2], 1, a.queries, a.keys, a.wide, 1.0f);
            for (Py_ssize_t row = 0; fits && row < a.queries; row++)
                slope_row(scores + row * a.keys, u + row * a.keys, a.keys, total[row], a.scale);
            fits = fits
                && product_into(head_of(&dv, b, h), dv.steps[2], scores, a.keys, 1, upper, g.steps[2], 0, a.keys, a.wide,
                                a.queries, 1.0f)
                && product_into(head_of(&dq, b, h), dq.steps[2], u, a.keys, 0, k, a.k.steps[2], 0, a.queries, a.features,
                                a.keys, 1.0f)
                && product_into(head_of(&dk, b, h), dk.steps[2], u, a.keys, 1, q, a.q.steps[2], 0, a.keys, a.features,
                                a.queries, 1.0f);
        }
    result = fits ? PyTuple_Pack(4, made[0], made[1], made[2], Py_None) : declined_form();
done:
    PyMem_Free(scores);
    for (int n = 0; n < 3; n++) Py_XDECREF(made[n]);
    return result;
}

const FormEntry attention_forms[] = {{"attention", attention, NULL}, {"attention_grad", attention_grad, NULL}, {NULL, NULL, NULL}};
