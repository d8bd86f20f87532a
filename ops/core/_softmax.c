/* softmax and log_softmax of small arrays along a dimension, within the rounding of their kernels. What holds a NaN, or
   no finite largest element, is left to these. */
#include "_vectors.h"

#include <math.h>

#if HAS_TWO_WAYS
#include <immintrin.h>
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

/* One row after the other, by the C library's exp. */
#define ROW(NAME, T, EXP) \
    static int NAME(const T *x, T *out, Py_ssize_t count, Py_ssize_t step, int is_log) { \
        T largest = x[0]; \
        double sum = 0; \
        for (Py_ssize_t n = 1; n < count; n++) largest = x[n * step] > largest ? x[n * step] : largest; \
        if (!isfinite(largest)) return 0; \
        for (Py_ssize_t n = 0; n < count; n++) { \
            T shifted = x[n * step] - largest, power = EXP(shifted); \
            sum += power; \
            out[n * step] = is_log ? shifted : power; \
        } \
        if (!isfinite(sum)) return 0; \
        T last = (T)(is_log ? log(sum) : sum); \
        if (is_log) \
            for (Py_ssize_t n = 0; n < count; n++) out[n * step] -= last; \
        else \
            for (Py_ssize_t n = 0; n < count; n++) out[n * step] /= last; \
        return 1; \
    }

ROW(row_f, float, expf)
ROW(row_d, double, exp)

/* What is no array of float32 with eight neighbours that are computed alike: [outer, count, inner]. */
static int one_by_one(int kind, const void *x, void *out, Py_ssize_t outer, Py_ssize_t count, Py_ssize_t inner,
                      int is_log) {
    int fits = 1;
    for (Py_ssize_t o = 0; o < outer && fits; o++)
        for (Py_ssize_t i = 0; i < inner && fits; i++) {
            Py_ssize_t at = o * count * inner + i;
            fits = kind == FLOAT32 ? row_f((const float *)x + at, (float *)out + at, count, inner, is_log)
                                   : row_d((const double *)x + at, (double *)out + at, count, inner, is_log);
        }
    return fits;
}

#if HAS_VECTORS
typedef float Quad __attribute__((vector_size(16)));
typedef int32_t QuadBits __attribute__((vector_size(16)));

#define FLOATS Floats
#define INTS Ints
#define BITS Bits
#define DOUBLES Doubles
#define HALF Quad
#define NAMED(NAME) NAME##_narrow
#include "_softmax_vectors.h"
#undef NAMED
#if HAS_TWO_WAYS
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#pragma GCC optimize("fp-contract=fast")
#define NAMED(NAME) NAME##_wide
#define MAXIMUM(v, w) __builtin_ia32_maxps256(v, w)
#include "_softmax_vectors.h"
#undef NAMED
#undef MAXIMUM
#undef FLOATS
#undef INTS
#undef BITS
#undef DOUBLES
#undef HALF
#pragma GCC target("avx512f,avx512vl,avx512bw,avx512dq")
typedef int32_t WidestInts __attribute__((vector_size(64)));
typedef uint32_t WidestBits __attribute__((vector_size(64)));
typedef float WidestFloats __attribute__((vector_size(64)));
typedef double WidestDoubles __attribute__((vector_size(64)));
#define FLOATS WidestFloats
#define INTS WidestInts
#define BITS WidestBits
#define DOUBLES WidestDoubles
#define HALF Floats
#define NAMED(NAME) NAME##_widest
#define MAXIMUM(v, w) _mm512_max_ps((__m512)(v), (__m512)(w))
#include "_softmax_vectors.h"
#undef NAMED
#undef MAXIMUM
#pragma GCC pop_options
#define CALLED(NAME, COUNT) \
    (has_widest_vectors && (COUNT) >= LANES_widest ? NAME##_widest : has_wide_vectors ? NAME##_wide : NAME##_narrow)
#else
#define CALLED(NAME, COUNT) NAME##_narrow
#endif

static int has_vectors_of(int kind, Py_ssize_t count, Py_ssize_t inner) {
    return kind == FLOAT32 && (inner == 1 ? count : inner) >= LEAST_OF_SOFTMAX;
}

static int by_vectors(const float *x, float *out, Py_ssize_t outer, Py_ssize_t count, Py_ssize_t inner, int is_log) {
    int fits = 1;
    if (inner == 1) CALLED(by_rows, count)(x, out, outer, count, is_log, NULL, &fits);
    else
        for (Py_ssize_t o = 0; o < outer && fits; o++)
            CALLED(by_columns, inner)(x + o * count * inner, out + o * count * inner, count, inner, is_log, &fits);
    return fits;
}

int softmax_rows(const float *x, float *out, double *logsums, Py_ssize_t rows, Py_ssize_t count) {
    int fits = 1;
    CALLED(by_rows, count)(x, out, rows, count, 0, logsums, &fits);
    return fits;
}
#else
int softmax_rows(const float *x, float *out, double *logsums, Py_ssize_t rows, Py_ssize_t count) { return 0; }
static int has_vectors_of(int kind, Py_ssize_t count, Py_ssize_t inner) { return 0; }
static int by_vectors(const float *x, float *out, Py_ssize_t outer, Py_ssize_t count, Py_ssize_t inner, int is_log) {
    return 0;
}
#endif

static PyObject *softmax(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t axis = -1, outer = 1, inner = 1;
    if (count != 1 || !is_plain_array(inputs[0]) || integer_attribute(attrs, name_axis, &axis) < 0)
        return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]);
    if (axis < 0) axis += rank;
    if ((kind != FLOAT32 && kind != FLOAT64) || size < 1 || axis < 0 || axis >= rank) return declined_form();
    for (int n = 0; n < rank; n++) *(n < axis ? &outer : &inner) *= n == axis ? 1 : x->dimensions[n];
    Py_ssize_t along = x->dimensions[axis];
    int is_wide = has_vectors_of(kind, along, inner);
    if (size > (is_wide ? most_elements() : MOST_ELEMENTS)) return declined_form();
    PyObject *result = new_array(kind, rank, x->dimensions);
    if (!result) return NULL;
    void *data = x->data, *out = ((Array *)result)->data;
    if (is_wide ? by_vectors(data, out, outer, along, inner, with != NULL)
                : one_by_one(kind, data, out, outer, along, inner, with != NULL))
        return result;
    Py_DECREF(result);
    return declined_form();
}

const FormEntry softmax_forms[] = {{"softmax", softmax, NULL}, {"log_softmax", softmax, ""}, {NULL, NULL, NULL}};
