/* Elements taken and put by numbers along one dimension, each at its own place in the others: take_along_axis, …; the
   gradient of a maximum. */
#include "_team.h"
#include "_vectors.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { MOST_MOVED = 1 << 16 };

/* An array, the numbers, and along which dimension. */
typedef struct {
    Array *x, *index;
    int counts_from_end; /* some of the numbers do */
    Py_ssize_t axis, along[MOST_DIMENSIONS], item; /* how far places lie apart in each dimension of x, in elements */
} Along;

/* 0 where it is left to the kernel, which tells what is wrong. `is_sample`: along the second dimension of matrices. */
static int read_along(PyObject *x, PyObject *index, PyObject *attrs, int is_sample, Along *by) {
    if (!is_plain_array(x) || !is_plain_array(index)) return 0;
    by->x = (Array *)x, by->index = (Array *)index, by->axis = is_sample;
    int kind = kind_of(by->x->dtype), rank = by->x->dimensions_count;
    if (kind == NO_KIND || kind_of(by->index->dtype) != INT64 || rank < 1 || rank > MOST_DIMENSIONS
        || by->index->dimensions_count != rank || size_of(x) > MOST_MOVED || size_of(index) > MOST_MOVED)
        return 0;
    if (is_sample ? rank != 2 || by->x->dimensions[0] != by->index->dimensions[0]
                  : integer_attribute(attrs, name_Axis, &by->axis) < 0)
        return 0;
    if (by->axis < 0) by->axis += rank;
    if (by->axis < 0 || by->axis >= rank) return 0;
    by->item = sizes_by_kind[kind];
    Py_ssize_t step = 1;
    for (int n = rank - 1; n >= 0; step *= by->x->dimensions[n], n--) {
        by->along[n] = step;
        if (n != by->axis && by->index->dimensions[n] > by->x->dimensions[n]) return 0;
    }
    const int64_t *places = (const int64_t *)(void *)by->index->data;
    Py_ssize_t size = by->x->dimensions[by->axis], wrong = 0, negative = 0;
    for (Py_ssize_t n = 0, all = size_of(index); n < all; n++)
        wrong |= (places[n] < -size) | (places[n] >= size), negative |= places[n] < 0;
    by->counts_from_end = negative != 0;
    return !wrong;
}

#define MOVE_SOME(BYTES, PLACE, TO, FROM) \
    for (Py_ssize_t n = 0; n < width; n++, single += apart) { \
        char *element = data + (base + (PLACE) * step + n * across) * BYTES; \
        memcpy(TO, FROM, BYTES); \
    }

#define MOVE_ALONG(BYTES) \
    case BYTES: \
        if (by->counts_from_end && puts) MOVE_SOME(BYTES, places[n] < 0 ? places[n] + size : places[n], element, single) \
        else if (by->counts_from_end) MOVE_SOME(BYTES, places[n] < 0 ? places[n] + size : places[n], single, element) \
        else if (puts) MOVE_SOME(BYTES, places[n], element, single) \
        else MOVE_SOME(BYTES, places[n], single, element) \
        break

/* Between `data`, which lies as x does, and `single`, elements `apart` bytes from each other, one for each number. */
static void move_along(const Along *by, char *data, char *single, Py_ssize_t apart, int puts) {
    int last = by->x->dimensions_count - 1;
    const Py_ssize_t *sizes = by->index->dimensions;
    Py_ssize_t width = sizes[last], step = by->along[by->axis], across = by->axis == last ? 0 : 1, place[MOST_DIMENSIONS] = {0};
    Py_ssize_t size = by->x->dimensions[by->axis], rows = width ? size_of((PyObject *)by->index) / width : 0;
    const int64_t *places = (const int64_t *)(void *)by->index->data;
    for (; rows > 0; rows--, places += width) {
        Py_ssize_t base = 0;
        for (int n = 0; n < last; n++) base += n == by->axis ? 0 : place[n] * by->along[n];
        switch (by->item) { MOVE_ALONG(1); MOVE_ALONG(2); MOVE_ALONG(4); MOVE_ALONG(8); MOVE_ALONG(16); }
        for (int n = last - 1; n >= 0 && ++place[n] == sizes[n]; n--) place[n] = 0;
    }
}

static PyObject *taken_along(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Along by;
    if (count != 2 || !read_along(inputs[0], inputs[1], attrs, with != NULL, &by)) return declined_form();
    PyObject *result = new_array(kind_of(by.x->dtype), by.index->dimensions_count, by.index->dimensions);
    if (result) move_along(&by, by.x->data, ((Array *)result)->data, by.item, 0);
    return result;
}

/* Values in the shape of the numbers, or a single one, assigned; of several for one place the last one stays. */
static PyObject *put_along(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Along by;
    if (count != 3 || !is_plain_array(inputs[2]) || text_attribute(attrs, name_Reduce, "assign") != 1
        || !read_along(inputs[0], inputs[1], attrs, 0, &by))
        return declined_form();
    Array *value = (Array *)inputs[2];
    int rank = by.x->dimensions_count, is_one = size_of(inputs[2]) == 1 && value->dimensions_count <= rank;
    if (value->dtype != by.x->dtype || (!is_one && value->dimensions_count != rank)) return declined_form();
    for (int n = 0; !is_one && n < rank; n++)
        if (value->dimensions[n] != by.index->dimensions[n]) return declined_form();
    PyObject *copy = new_array(kind_of(value->dtype), rank, by.x->dimensions);
    if (!copy) return NULL;
    memcpy(((Array *)copy)->data, by.x->data, (size_t)(size_of(inputs[0]) * by.item));
    move_along(&by, ((Array *)copy)->data, value->data, is_one ? 0 : by.item, 1);
    return copy;
}

/* Values for elements that equal something, where there is one of each for `count` elements that are `inner` apart. */
typedef struct {
    const char *g, *x, *y;
    char *out;
    Py_ssize_t count, inner;
    int kind;
} Equals;

#define WHERE_EQUAL(NAME, T) \
    INLINE void NAME##_body(const T *restrict g, const T *restrict x, const T *restrict y, T *restrict out, \
                            Py_ssize_t count, Py_ssize_t inner) { \
        for (Py_ssize_t n = 0; inner == 1 && n < count; n++) out[n] = x[n] == *y ? *g : *g * 0; \
        for (Py_ssize_t at = 0; inner != 1 && at < count; at++, x += inner, out += inner) \
            for (Py_ssize_t n = 0; n < inner; n++) out[n] = x[n] == y[n] ? g[n] : g[n] * 0; \
    } \
    TWO_WAYS(NAME, (const T *g, const T *x, const T *y, T *out, Py_ssize_t count, Py_ssize_t inner), \
             (g, x, y, out, count, inner))

WHERE_EQUAL(equal_f, float)
WHERE_EQUAL(equal_d, double)

static void some_equal(void *of, Py_ssize_t begin, Py_ssize_t end) {
    const Equals *all = of;
    Py_ssize_t inner = all->inner, step = all->count * inner;
    for (Py_ssize_t n = begin; n < end; n++)
        if (all->kind == FLOAT32)
            equal_f((const float *)all->g + n * inner, (const float *)all->x + n * step, (const float *)all->y + n * inner,
                    (float *)all->out + n * step, all->count, inner);
        else
            equal_d((const double *)all->g + n * inner, (const double *)all->x + n * step,
                    (const double *)all->y + n * inner, (double *)all->out + n * step, all->count, inner);
}

static int all_are_finite(const Array *x, int kind) {
    Py_ssize_t size = size_of((PyObject *)x), found = 0;
    for (Py_ssize_t n = 0; n < size; n++)
        found += isfinite(kind == FLOAT32 ? ((const float *)x->data)[n] : ((const double *)x->data)[n]);
    return found == size;
}

/* How many elements of x lie around, along and behind the dimensions in which y has one; 0 where y is of another kind. */
static int read_equals(const Array *x, const Array *y, Py_ssize_t *outer, Equals *all) {
    int rank = x->dimensions_count, n = 0;
    *outer = all->count = all->inner = 1;
    if (y->dimensions_count == 0) { /* one for all */
        all->count = size_of((PyObject *)x);
        return 1;
    }
    if (y->dimensions_count != rank) return 0;
    for (; n < rank && y->dimensions[n] == x->dimensions[n]; n++) *outer *= x->dimensions[n];
    for (; n < rank && y->dimensions[n] == 1; n++) all->count *= x->dimensions[n];
    for (; n < rank && y->dimensions[n] == x->dimensions[n]; n++) all->inner *= x->dimensions[n];
    return n == rank;
}

/* g where x equals y; g and y have one shape, with 1 for dimensions of x side by side. */
static PyObject *where_equal(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    if (count != 3 || Py_TYPE(inputs[0]) != array_type || !is_plain_array(inputs[1]) || !is_plain_array(inputs[2]))
        return declined_form();
    Array *g = (Array *)inputs[0], *x = (Array *)inputs[1], *y = (Array *)inputs[2];
    Py_ssize_t outer;
    Equals all = {.kind = kind_of(x->dtype)};
    if ((all.kind != FLOAT32 && all.kind != FLOAT64) || g->dtype != x->dtype || y->dtype != x->dtype
        || !size_of(inputs[1]) || !read_equals(x, y, &outer, &all) || g->dimensions_count != y->dimensions_count
        || memcmp(g->dimensions, y->dimensions, (size_t)g->dimensions_count * sizeof *g->dimensions))
        return declined_form();
    PyObject *gradient = is_plain_array(inputs[0]) ? Py_NewRef(inputs[0]) : PyObject_CallMethod(inputs[0], "copy", NULL);
    PyObject *result = NULL;
    if (!gradient) return NULL;
    if (!is_plain_array(gradient) || !all_are_finite((Array *)gradient, all.kind)) result = declined_form();
    else if ((result = new_array(all.kind, x->dimensions_count, x->dimensions))) {
        all.g = ((Array *)gradient)->data, all.x = x->data, all.y = y->data, all.out = ((Array *)result)->data;
        if (outer == 1 && all.inner == 1) some_equal(&all, 0, 1); /* of all elements: by one thread */
        else if (run_parts(some_equal, &all, outer, 2 * size_of(inputs[1]) * sizes_by_kind[all.kind]) < 0) Py_CLEAR(result);
    }
    Py_DECREF(gradient);
    return result;
}

const FormEntry along_forms[] = {
    {"where_equal", where_equal, NULL, 1},
    {"taken_along", taken_along, NULL}, {"sampled", taken_along, ""}, {"put_along", put_along, NULL}, {NULL, NULL, NULL}};
