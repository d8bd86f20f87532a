/* Elements taken and put by numbers along one dimension, each at its own place in the others: take_along_axis, … */
#include "_native.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { MOST_MOVED = 1 << 16 };

/* An array, the numbers, and along which dimension. */
typedef struct {
    Array *x, *index;
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
    for (Py_ssize_t n = 0, size = by->x->dimensions[by->axis]; n < size_of(index); n++)
        if (places[n] < -size || places[n] >= size) return 0;
    return 1;
}

#define MOVE_ALONG(BYTES) \
    case BYTES: \
        for (Py_ssize_t n = 0; n < width; n++, single += apart) { \
            Py_ssize_t at = (base + (places[n] < 0 ? places[n] + size : places[n]) * step + n * across) * BYTES; \
            memcpy(puts ? data + at : single, puts ? single : data + at, BYTES); \
        } \
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

const FormEntry along_forms[] = {
    {"taken_along", taken_along, NULL}, {"sampled", taken_along, ""}, {"put_along", put_along, NULL}, {NULL, NULL, NULL}};
