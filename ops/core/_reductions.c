/* Reductions and running sums of small arrays, in NumPy's order of additions, so that they have its bits.

An array is looked at as [outer, count, inner], where `count` elements each become one. What would give a NaN, an
infinity out of finite numbers, or a zero, whose sign depends on where a sum begins, NumPy computes.
*/
#include "_vectors.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

typedef struct {
    Py_ssize_t outer, count, inner, rank, sizes[MOST_DIMENSIONS]; /* `sizes`: the result's */
} Layout;

enum { LEAST_OF_NORM_LOOPS = 1024 }; /* from there on the engine's */
enum { NARROW = 16 }; /* fewer columns make no vectors: many rows of them are left to loops that take several at once */

/* Divides the dimensions by those that are reduced, which must be neighbours: 1, or 0 where they are not. */
static int lay_out(Layout *layout, const Array *x, const int *is_reduced, int keeps) {
    int rank = x->dimensions_count, state = 0;
    *layout = (Layout){1, 1, 1, 0, {0}};
    for (int n = 0; n < rank; n++) {
        Py_ssize_t size = x->dimensions[n];
        if (is_reduced[n]) {
            if (state == 2) return 0;
            state = 1;
            layout->count *= size;
            if (keeps) layout->sizes[layout->rank++] = 1;
        } else {
            if (state == 1) state = 2;
            *(state ? &layout->inner : &layout->outer) *= size;
            layout->sizes[layout->rank++] = size;
        }
    }
    return 1;
}

/* What the attributes of a reduction ask of x: 1, or 0 where it is left to NumPy. */
static int read_layout(Layout *layout, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs, Py_ssize_t most,
                       PyObject *name_of_axes, PyObject *name_of_keeping) {
    if (count < 1 || !is_plain_array(inputs[0])) return 0;
    for (Py_ssize_t n = 1; n < count; n++)
        if (inputs[n] != Py_None) return 0;
    Array *x = (Array *)inputs[0];
    Py_ssize_t axes[MOST_DIMENSIONS], named = 0, size = size_of(inputs[0]);
    int keeps = 0, all = 0, rank = x->dimensions_count, is_reduced[MOST_DIMENSIONS];
    if (size < 1 || size > most || rank > MOST_DIMENSIONS) return 0;
    if (attrs) {
        if (integers_attribute(attrs, name_of_axes, axes, &named) < 0 || truth_attribute(attrs, name_of_keeping, &keeps) < 0
            || truth_attribute(attrs, name_reduce_all, &all) < 0)
            return 0;
        PyObject *wanted = PyDict_GetItemWithError(attrs, name_out_dtype);
        if (wanted ? wanted != Py_None : PyErr_Occurred() != NULL) {
            PyErr_Clear();
            return 0;
        }
    }
    for (int n = 0; n < rank; n++) is_reduced[n] = all || !named;
    for (Py_ssize_t n = 0; n < named && !all; n++) {
        Py_ssize_t axis = axes[n] < 0 ? axes[n] + rank : axes[n];
        if (axis < 0 || axis >= rank || is_reduced[axis]) return 0;
        is_reduced[axis] = 1;
    }
    return lay_out(layout, x, is_reduced, keeps);
}

/* NumPy's sum of neighbours: eight at a time, halves of more than 128 for themselves. */
#define PAIRWISE(NAME, T) \
    static T NAME(const T *x, Py_ssize_t count) { \
        if (count < 8) { \
            T sum = x[0]; \
            for (Py_ssize_t n = 1; n < count; n++) sum += x[n]; \
            return sum; \
        } \
        if (count > 128) { \
            Py_ssize_t half = count / 2; \
            half -= half % 8; \
            return NAME(x, half) + NAME(x + half, count - half); \
        } \
        T r[8]; \
        memcpy(r, x, sizeof r); \
        Py_ssize_t n = 8; \
        for (; n < count - count % 8; n += 8) \
            for (int m = 0; m < 8; m++) r[m] += x[n + m]; \
        T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])); \
        for (; n < count; n++) sum += x[n]; \
        return sum; \
    }

PAIRWISE(pairwise_f, float)
PAIRWISE(pairwise_d, double)

float sum_of_floats(const float *x, Py_ssize_t count) { return pairwise_f(x, count); }
double sum_of_doubles(const double *x, Py_ssize_t count) { return pairwise_d(x, count); }

/* Rows one added to the other, in their order; four at a time, so that results are loaded and stored more rarely. */
#define ADD_ROWS(NAME, T) \
    INLINE void NAME##_body(const T *restrict x, T *restrict out, Py_ssize_t count, Py_ssize_t width) { \
        memcpy(out, x, sizeof(T) * (size_t)width); \
        Py_ssize_t n = 1; \
        for (; n + 4 <= count; n += 4) { \
            const T *a = x + n * width, *b = a + width, *c = b + width, *d = c + width; \
            for (Py_ssize_t i = 0; i < width; i++) out[i] = (((out[i] + a[i]) + b[i]) + c[i]) + d[i]; \
        } \
        for (; n < count; n++) \
            for (Py_ssize_t i = 0; i < width; i++) out[i] += x[n * width + i]; \
    } \
    TWO_WAYS(NAME, (const T *x, T *out, Py_ssize_t count, Py_ssize_t width), (x, out, count, width))

ADD_ROWS(add_rows_f, float)
ADD_ROWS(add_rows_d, double)

/* Each gives whether all results may stay. */
#define SUM(NAME, T, PAIRWISE_SUM, ADD) \
    static int NAME(const Layout *l, const void *given, void *result, int is_mean) { \
        const T *x = given; \
        T *out = result; \
        int fits = 1; \
        for (Py_ssize_t o = 0; o < l->outer; o++, x += l->count * l->inner, out += l->inner) { \
            if (l->inner == 1) *out = PAIRWISE_SUM(x, l->count); \
            else ADD(x, out, l->count, l->inner); \
            for (Py_ssize_t i = 0; i < l->inner; i++) { \
                fits &= out[i] != 0 && isfinite(out[i]); \
                if (is_mean) out[i] /= (T)l->count; \
            } \
        } \
        return fits; \
    }

SUM(sum_f, float, pairwise_f, add_rows_f)
SUM(sum_d, double, pairwise_d, add_rows_d)

#define PLAIN_ROW(NAME, T, EXPRESSION) \
    INLINE T NAME##_row(const T *x, Py_ssize_t count) { \
        T a = x[0]; \
        for (Py_ssize_t n = 1; n < count; n++) { \
            T b = x[n]; \
            a = EXPRESSION; \
        } \
        return a; \
    }

/* A long row is folded into four vectors first: the largest of all does not depend on the order, but for the sign of a
   zero; a product does, by rounding. A NaN among them is one in the end. */
#if HAS_VECTORS
#define VECTOR_ROW(NAME, T, V, BITS, LONG, EXPRESSION, OF_VECTORS) \
    INLINE T NAME##_row(const T *x, Py_ssize_t count) { \
        enum { LANES = sizeof(V) / sizeof(T), STEP = 4 * LANES }; \
        T a = x[0], lanes[STEP]; \
        Py_ssize_t n = 1; \
        if (count >= LONG) { \
            V found[4], q; \
            BITS wrong = {0}; \
            memcpy(found, x, sizeof found); \
            for (int k = 0; k < 4; k++) wrong |= found[k] != found[k]; \
            for (n = STEP; n + STEP <= count; n += STEP) \
                for (int k = 0; k < 4; k++) { \
                    V p = found[k]; \
                    memcpy(&q, x + n + k * LANES, sizeof q); \
                    wrong |= q != q; \
                    found[k] = OF_VECTORS; \
                } \
            for (int k = 0; k < LANES; k++) \
                if (wrong[k]) return (T)NAN; \
            memcpy(lanes, found, sizeof lanes); \
            a = lanes[0]; \
            for (int k = 1; k < STEP; k++) { \
                T b = lanes[k]; \
                a = EXPRESSION; \
            } \
        } \
        for (; n < count; n++) { \
            T b = x[n]; \
            a = EXPRESSION; \
        } \
        return a; \
    }
#define CHOSEN(V, BITS, CONDITION) ((V)(((CONDITION) & (BITS)q) | (~(CONDITION) & (BITS)p)))
#else
#define VECTOR_ROW(NAME, T, V, BITS, LONG, EXPRESSION, OF_VECTORS) PLAIN_ROW(NAME, T, EXPRESSION)
#endif

#define FOLD(NAME, T, EXPRESSION, FITS) \
    INLINE void NAME##_all_body(const Layout *l, const void *given, void *result, int *fits) { \
        const T *x = given; \
        T *restrict out = result; \
        for (Py_ssize_t o = 0; o < l->outer; o++, x += l->count * l->inner, out += l->inner) { \
            if (l->inner == 1) *out = NAME##_row(x, l->count); \
            else { \
                memcpy(out, x, sizeof(T) * (size_t)l->inner); \
                for (Py_ssize_t n = 1; n < l->count; n++) \
                    for (Py_ssize_t i = 0; i < l->inner; i++) { \
                        T a = out[i], b = x[n * l->inner + i]; \
                        out[i] = EXPRESSION; \
                    } \
            } \
            for (Py_ssize_t i = 0; i < l->inner; i++) { \
                T a = out[i]; \
                (void)a; \
                *fits &= FITS; \
            } \
        } \
    } \
    TWO_WAYS(NAME##_all, (const Layout *l, const void *given, void *result, int *fits), (l, given, result, fits)) \
    static int NAME(const Layout *l, const void *given, void *result, int ignored) { \
        int fits = 1; \
        NAME##_all(l, given, result, &fits); \
        return fits; \
    }

#define IS_NUMBER (a == a && a != 0)
#define IS_PRODUCT (isfinite(a) != 0) /* the sign of a zero does not depend on the order */
#define LARGER ((b > a) | (b != b) ? b : a) /* a NaN stays: nothing is larger */
#define SMALLER ((b < a) | (b != b) ? b : a)
enum { LONG_ROW = 128, LONG_PRODUCT = 1 << 10 }; /* products of fewer have NumPy's order */

VECTOR_ROW(max_f, float, Floats, Ints, LONG_ROW, LARGER, CHOSEN(Floats, Ints, q > p))
VECTOR_ROW(max_d, double, Doubles, Longs, LONG_ROW, LARGER, CHOSEN(Doubles, Longs, q > p))
VECTOR_ROW(min_f, float, Floats, Ints, LONG_ROW, SMALLER, CHOSEN(Floats, Ints, q < p))
VECTOR_ROW(min_d, double, Doubles, Longs, LONG_ROW, SMALLER, CHOSEN(Doubles, Longs, q < p))
VECTOR_ROW(prod_f, float, Floats, Ints, LONG_PRODUCT, a * b, p * q)
VECTOR_ROW(prod_d, double, Doubles, Longs, LONG_PRODUCT, a * b, p * q)
PLAIN_ROW(max_l, int64_t, LARGER)
PLAIN_ROW(max_i, int32_t, LARGER)
PLAIN_ROW(min_l, int64_t, SMALLER)
PLAIN_ROW(min_i, int32_t, SMALLER)
PLAIN_ROW(sum_l, uint64_t, a + b)
PLAIN_ROW(prod_l, uint64_t, a * b)
PLAIN_ROW(any_b, unsigned char, (unsigned char)((a | b) != 0))
PLAIN_ROW(all_b, unsigned char, (unsigned char)((a != 0) & (b != 0)))

FOLD(max_f, float, LARGER, IS_NUMBER)
FOLD(max_d, double, LARGER, IS_NUMBER)
FOLD(min_f, float, SMALLER, IS_NUMBER)
FOLD(min_d, double, SMALLER, IS_NUMBER)
FOLD(prod_f, float, a * b, IS_PRODUCT)
FOLD(prod_d, double, a * b, IS_PRODUCT)
FOLD(max_l, int64_t, LARGER, 1)
FOLD(max_i, int32_t, LARGER, 1)
FOLD(min_l, int64_t, SMALLER, 1)
FOLD(min_i, int32_t, SMALLER, 1)
FOLD(sum_l, uint64_t, a + b, 1)
FOLD(prod_l, uint64_t, a * b, 1)
FOLD(any_b, unsigned char, (unsigned char)((a | b) != 0), 1)
FOLD(all_b, unsigned char, (unsigned char)((a != 0) & (b != 0)), 1)

typedef int (*ReductionLoop)(const Layout *, const void *, void *, int);
typedef struct {
    ReductionLoop loops[BOOL + 1];
    int is_mean, is_small; /* `is_small`: NumPy stops where the result is known */
} Reduction;

static PyObject *reduce(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    const Reduction *how = with;
    Layout layout;
    Py_ssize_t most = how->is_small ? MOST_ELEMENTS : most_elements();
    if (!read_layout(&layout, inputs, count, attrs, most, name_dim, name_keep_dim)) return declined_form();
    if (layout.inner > 1 && layout.inner < NARROW && layout.count * layout.inner > MOST_ELEMENTS) return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype);
    if (kind < 0 || kind > BOOL || !how->loops[kind]) return declined_form();
    PyObject *result = new_array(kind, (int)layout.rank, layout.sizes);
    if (!result) return NULL;
    if (how->loops[kind](&layout, x->data, ((Array *)result)->data, how->is_mean)) return result;
    Py_DECREF(result);
    return declined_form();
}

/* Rows of floats that become one each: gathered, and computed in double where that costs nothing. */

#define GATHER(T) \
    T row[MOST_ELEMENTS]; \
    const T *from = (const T *)(const void *)x + (o * l->count * l->inner + i); \
    row[0] = from[0]; /* there is one at least */ \
    for (Py_ssize_t n = 1; n < l->count; n++) row[n] = from[n * l->inner]

#define VARIANCE(NAME, T, PAIRWISE_SUM) \
    static T NAME(const Layout *l, const char *x, Py_ssize_t o, Py_ssize_t i, int unbiased) { \
        GATHER(T); \
        T mean = PAIRWISE_SUM(row, l->count) / (T)l->count; \
        for (Py_ssize_t n = 0; n < l->count; n++) row[n] = (row[n] - mean) * (row[n] - mean); \
        return PAIRWISE_SUM(row, l->count) / (T)(unbiased && l->count > 1 ? l->count - 1 : l->count); \
    }
#define LOGSUMEXP(NAME, T, EXP) \
    static T NAME(const Layout *l, const char *x, Py_ssize_t o, Py_ssize_t i, int ignored) { \
        GATHER(T); \
        T largest = row[0]; \
        double sum = 0; \
        for (Py_ssize_t n = 1; n < l->count; n++) largest = row[n] > largest ? row[n] : largest; \
        for (Py_ssize_t n = 0; n < l->count; n++) sum += EXP(row[n] - largest); \
        return (T)log(sum) + largest; \
    }

VARIANCE(variance_f, float, pairwise_f)
VARIANCE(variance_d, double, pairwise_d)
LOGSUMEXP(logsumexp_f, float, expf)
LOGSUMEXP(logsumexp_d, double, exp)

typedef struct {
    float (*of_floats)(const Layout *, const char *, Py_ssize_t, Py_ssize_t, int);
    double (*of_doubles)(const Layout *, const char *, Py_ssize_t, Py_ssize_t, int);
    PyObject **axes, **keeps;
} RowFunction;

static PyObject *by_row(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    const RowFunction *how = with;
    Layout layout;
    int unbiased = 1, fits = 1;
    if (count != 1 || truth_attribute(attrs, name_unbiased, &unbiased) < 0
        || !read_layout(&layout, inputs, count, attrs, MOST_ELEMENTS, *how->axes, *how->keeps))
        return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype);
    if (kind != FLOAT32 && kind != FLOAT64) return declined_form();
    PyObject *result = new_array(kind, (int)layout.rank, layout.sizes);
    if (!result) return NULL;
    void *out = ((Array *)result)->data;
    for (Py_ssize_t o = 0; o < layout.outer && fits; o++)
        for (Py_ssize_t i = 0; i < layout.inner && fits; i++) {
            Py_ssize_t at = o * layout.inner + i;
            if (kind == FLOAT32)
                fits = isfinite(((float *)out)[at] = how->of_floats(&layout, x->data, o, i, unbiased)) != 0;
            else fits = isfinite(((double *)out)[at] = how->of_doubles(&layout, x->data, o, i, unbiased)) != 0;
        }
    if (fits) return result;
    Py_DECREF(result);
    return declined_form();
}

/* Norms of rows: sums of squares or of sizes, added as NumPy adds them along the last dimension or another. */
#define NORM(NAME, T, PAIRWISE_SUM, SIZE, ROOT) \
    static T NAME(const Layout *l, const char *x, Py_ssize_t o, Py_ssize_t i, int of_squares) { \
        GATHER(T); \
        for (Py_ssize_t n = 0; n < l->count; n++) row[n] = of_squares ? row[n] * row[n] : SIZE(row[n]); \
        T sum = row[0]; \
        if (l->inner == 1) sum = PAIRWISE_SUM(row, l->count); \
        else \
            for (Py_ssize_t n = 1; n < l->count; n++) sum += row[n]; \
        return of_squares ? ROOT(sum) : sum; \
    }

NORM(norm_f, float, pairwise_f, fabsf, sqrtf)
NORM(norm_d, double, pairwise_d, fabs, sqrt)

static PyObject *p_norm(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    double order = 2.0;
    Py_ssize_t axis = -1;
    int keeps = 0, is_vector = 0, is_reduced[MOST_DIMENSIONS], fits = 1;
    if (count != 1 || !is_plain_array(inputs[0]) || number_attribute(attrs, name_porder, &order) < 0
        || integer_attribute(attrs, name_axis, &axis) < 0 || truth_attribute(attrs, name_keepdim, &keeps) < 0
        || truth_attribute(attrs, name_asvector, &is_vector) < 0 || is_vector || (order != 1.0 && order != 2.0))
        return declined_form();
    Array *x = (Array *)inputs[0];
    Layout layout;
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]);
    if (axis < 0) axis += rank;
    if ((kind != FLOAT32 && kind != FLOAT64) || size < 1 || size >= LEAST_OF_NORM_LOOPS || rank > MOST_DIMENSIONS || axis < 0
        || axis >= rank)
        return declined_form();
    for (int n = 0; n < rank; n++) is_reduced[n] = n == axis;
    if (!lay_out(&layout, x, is_reduced, keeps)) return declined_form();
    PyObject *result = new_array(kind, (int)layout.rank, layout.sizes);
    if (!result) return NULL;
    void *out = ((Array *)result)->data;
    for (Py_ssize_t at = 0; at < layout.outer * layout.inner; at++) {
        Py_ssize_t o = at / layout.inner, i = at % layout.inner;
        if (kind == FLOAT32) ((float *)out)[at] = norm_f(&layout, x->data, o, i, order == 2.0);
        else ((double *)out)[at] = norm_d(&layout, x->data, o, i, order == 2.0);
        fits &= isfinite(kind == FLOAT32 ? (double)((float *)out)[at] : ((double *)out)[at]) != 0;
    }
    if (fits) return result;
    Py_DECREF(result);
    return declined_form();
}

/* Positions of extremes */

#define POSITION(NAME, T, BETTER) \
    static int NAME(const Layout *l, const void *given, int64_t *out) { \
        const T *x = given; \
        for (Py_ssize_t o = 0; o < l->outer; o++, x += l->count * l->inner) \
            for (Py_ssize_t i = 0; i < l->inner; i++) { \
                Py_ssize_t found = 0; \
                T a = x[i]; \
                if (a != a) return 0; \
                for (Py_ssize_t n = 1; n < l->count; n++) { \
                    T b = x[n * l->inner + i]; \
                    if (b != b) return 0; \
                    if (BETTER) a = b, found = n; \
                } \
                *out++ = found; \
            } \
        return 1; \
    }

POSITION(argmax_f, float, b > a)
POSITION(argmax_d, double, b > a)
POSITION(argmax_l, int64_t, b > a)
POSITION(argmin_f, float, b < a)
POSITION(argmin_d, double, b < a)
POSITION(argmin_l, int64_t, b < a)

typedef int (*PositionLoop)(const Layout *, const void *, int64_t *);
typedef struct {
    PositionLoop loops[INT64 + 1];
} Position;

static PyObject *position(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    const Position *how = with;
    Layout layout;
    Py_ssize_t axis = 0;
    int keeps = 0, all = 0, is_reduced[MOST_DIMENSIONS];
    if (count != 1 || !attrs || !is_plain_array(inputs[0]) || integer_attribute(attrs, name_axis, &axis) < 0
        || truth_attribute(attrs, name_keepdims, &keeps) < 0 || truth_attribute(attrs, name_flatten, &all) < 0)
        return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]);
    if (axis < 0) axis += rank;
    if (kind < 0 || kind > INT64 || size < 1 || size > MOST_ELEMENTS || rank > MOST_DIMENSIONS
        || (!all && (axis < 0 || axis >= rank)))
        return declined_form();
    PyObject *wanted = PyDict_GetItemWithError(attrs, name_dtype), *dtype = NULL;
    if (wanted) {
        if (!(dtype = PyObject_GetAttr(wanted, name_dtype))) return NULL;
        Py_DECREF(dtype);
        if (dtype != dtypes_by_kind[INT64]) return declined_form();
    }
    for (int n = 0; n < rank; n++) is_reduced[n] = all || n == axis;
    if (!lay_out(&layout, x, is_reduced, keeps)) return declined_form();
    PyObject *result = new_array(INT64, (int)layout.rank, layout.sizes);
    if (!result) return NULL;
    if (how->loops[kind](&layout, x->data, (int64_t *)(void *)((Array *)result)->data)) return result;
    Py_DECREF(result);
    return declined_form();
}

/* Running sums along a dimension, one after the other, as NumPy accumulates. */
#define RUNNING(NAME, T) \
    static void NAME(const Layout *l, const void *given, void *result) { \
        const T *x = given; \
        T *out = result; \
        Py_ssize_t block = l->count * l->inner; \
        for (Py_ssize_t o = 0; o < l->outer; o++, x += block, out += block) { \
            memcpy(out, x, sizeof(T) * (size_t)l->inner); \
            for (Py_ssize_t n = l->inner; n < block; n++) out[n] = out[n - l->inner] + x[n]; \
        } \
    }

RUNNING(running_f, float)
RUNNING(running_d, double)
RUNNING(running_l, uint64_t)

static PyObject *cumsum(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t axis = -1;
    int is_flat = 0, is_exclusive = 0, is_reversed = 0, is_reduced[MOST_DIMENSIONS];
    if (count != 1 || !is_plain_array(inputs[0]) || integer_attribute(attrs, name_axis, &axis) < 0
        || truth_attribute(attrs, name_flatten, &is_flat) < 0 || truth_attribute(attrs, name_exclusive, &is_exclusive) < 0
        || truth_attribute(attrs, name_reverse, &is_reversed) < 0 || is_flat || is_exclusive || is_reversed)
        return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]);
    if (axis < 0) axis += rank;
    if (kind < 0 || kind > INT64 || size < 1 || size > MOST_ELEMENTS || rank > MOST_DIMENSIONS || axis < 0 || axis >= rank)
        return declined_form();
    if (kind != INT64)
        for (Py_ssize_t n = 0; n < size; n++)
            if (!isfinite(kind == FLOAT32 ? (double)((float *)(void *)x->data)[n] : ((double *)(void *)x->data)[n]))
                return declined_form();
    Layout layout;
    for (int n = 0; n < rank; n++) is_reduced[n] = n == axis;
    if (!lay_out(&layout, x, is_reduced, 1)) return declined_form();
    PyObject *result = new_array(kind, rank, x->dimensions);
    if (!result) return NULL;
    void *out = ((Array *)result)->data;
    (kind == FLOAT32 ? running_f : kind == FLOAT64 ? running_d : running_l)(&layout, x->data, out);
    return result;
}

#define REDUCTION(NAME, ...) {NAME, reduce, &(const Reduction){__VA_ARGS__}}
#define POSITIONS(NAME, ...) {NAME, position, &(const Position){__VA_ARGS__}}
const FormEntry reduction_forms[] = {
    REDUCTION("sum", {sum_f, sum_d, sum_l, NULL, NULL}, 0), REDUCTION("mean", {sum_f, sum_d, NULL, NULL, NULL}, 1),
    REDUCTION("max", {max_f, max_d, max_l, max_i, NULL}, 0), REDUCTION("min", {min_f, min_d, min_l, min_i, NULL}, 0),
    REDUCTION("prod", {prod_f, prod_d, prod_l, NULL, NULL}, 0), REDUCTION("any", {NULL, NULL, NULL, NULL, any_b}, 0, 1),
    REDUCTION("all", {NULL, NULL, NULL, NULL, all_b}, 0, 1), POSITIONS("argmax", {argmax_f, argmax_d, argmax_l}),
    POSITIONS("argmin", {argmin_f, argmin_d, argmin_l}), {"cumsum", cumsum, NULL}, {"p_norm", p_norm, NULL},
    {"variance", by_row, &(const RowFunction){variance_f, variance_d, &name_dim, &name_keep_dim}},
    {"logsumexp", by_row, &(const RowFunction){logsumexp_f, logsumexp_d, &name_axis, &name_keepdim}}, {NULL, NULL, NULL}};
