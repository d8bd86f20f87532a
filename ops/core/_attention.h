/* What attention is given, read from arrays; what is done with scores. */
#ifndef PROA_ATTENTION_H
#define PROA_ATTENTION_H

#include "_vectors.h"

enum { RANK = 4 };

/* [batch, heads, positions, features] of float32 whose features lie side by side: steps in elements. */
typedef struct {
    float *data;
    Py_ssize_t sizes[RANK], steps[RANK];
} Heads;

/* What is added to scores: a mask that broadcasts, steps in elements, 0 where it does; `data` NULL without one. */
typedef struct {
    const float *data;
    Py_ssize_t steps[RANK];
} Mask;

/* An application: sizes, and what scores are made with. */
typedef struct {
    Heads q, k, v;
    Mask mask;
    Py_ssize_t batch, heads, queries, keys, features, wide;
    float scale;
    int causal;
} Attention;

static inline float *head_of(const Heads *heads, Py_ssize_t batch, Py_ssize_t head) {
    return heads->data + batch * heads->steps[0] + head * heads->steps[1];
}

HIDDEN int read_heads(PyObject *given, Heads *heads);
/* Whether q, k, v and the mask, or None, fit each other; `causal` is set before. */
HIDDEN int read_inputs(PyObject *const *inputs, Attention *a);
/* Room for an array that lies in memory as another does, as NumPy's empty_like gives it: NULL with an error, and without
   one where its last dimension is not the innermost there. */
HIDDEN PyObject *room_like(PyObject *given, const Py_ssize_t *sizes);
/* Adds the mask to scores of some queries with the first keys. */
HIDDEN void add_mask(const Attention *a, Py_ssize_t batch, Py_ssize_t head, Py_ssize_t first, Py_ssize_t rows,
                     Py_ssize_t keys, float *scores);
/* softmax of rows that are shorter than a vector: as `softmax_rows`. */
HIDDEN int short_rows(const float *x, float *out, double *logsums, Py_ssize_t rows, Py_ssize_t count);

/* Makes the weights of a row of scores, from the logarithm of its sum, and of `u` the gradient of scale * q · kᵀ. */
HIDDEN void slope_of_row(float *scores, float *u, Py_ssize_t count, float total, float scale);

#endif
