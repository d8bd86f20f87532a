/* Arrays made of numbers and of other arrays: filled, joined, chosen by a condition, kept between limits, one step apart. */
#include "_team.h"
#include "_vectors.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { MOST_COPIED = 1 << 16 }; /* elements, from which on threads copy */

/* A number as an element of a kind: 1; 0 where the kind does not hold it as it is. */
static int element_of(double value, int kind, void *place) {
    if (kind == FLOAT64) memcpy(place, &value, sizeof value);
    else if (kind == FLOAT32) {
        if (isfinite(value) && fabs(value) > 3e38) return 0;
        float single = (float)value;
        memcpy(place, &single, sizeof single);
    } else {
        if (!(fabs(value) < 1 << 30) || value != floor(value)) return 0;
        int64_t whole = (int64_t)value;
        int32_t shorter = (int32_t)value;
        if (kind == INT64) memcpy(place, &whole, sizeof whole);
        else if (kind == INT32) memcpy(place, &shorter, sizeof shorter);
        else if (kind == BOOL) *(char *)place = whole != 0;
        else return 0;
    }
    return 1;
}

static PyObject *filled(int kind, int rank, const Py_ssize_t *sizes, double value) {
    union { char bytes[8]; uint32_t four; uint64_t eight; } element = {{0}};
    if (!element_of(value, kind, &element)) return declined_form();
    Py_ssize_t size = 1;
    for (int n = 0; n < rank; n++) {
        if (sizes[n] < 0 || sizes[n] >= MOST_COPIED) return declined_form();
        if ((size *= sizes[n]) >= MOST_COPIED) return declined_form();
    }
    PyObject *result = new_array(kind, rank, sizes);
    if (!result) return NULL;
    void *data = ((Array *)result)->data;
    if (sizes_by_kind[kind] == 1 || element.eight == 0)
        memset(data, element.bytes[0], (size_t)(size * sizes_by_kind[kind]));
    else if (sizes_by_kind[kind] == 4)
        for (Py_ssize_t n = 0; n < size; n++) ((uint32_t *)data)[n] = element.four;
    else
        for (Py_ssize_t n = 0; n < size; n++) ((uint64_t *)data)[n] = element.eight;
    return result;
}

/* The kind of a dtype of ours, as attributes have it: NO_KIND where there is none; -2 with an error. */
static int kind_of_attribute(PyObject *attrs, PyObject *name) {
    PyObject *wanted = attrs ? PyDict_GetItemWithError(attrs, name) : NULL;
    if (!wanted) return PyErr_Occurred() ? -2 : NO_KIND;
    if (wanted == Py_None) return NO_KIND;
    PyObject *dtype = PyObject_GetAttr(wanted, name_dtype);
    if (!dtype) return -2;
    int kind = kind_of(dtype);
    Py_DECREF(dtype);
    return kind;
}

static PyObject *fill(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t sizes[MOST_DIMENSIONS], rank = 0;
    double value = 0.0;
    for (Py_ssize_t n = 0; n < count; n++)
        if (inputs[n] != Py_None && !(PyList_CheckExact(inputs[n]) && !PyList_GET_SIZE(inputs[n]))) return declined_form();
    if (integers_attribute(attrs, name_shape, sizes, &rank) <= 0 || number_attribute(attrs, name_value, &value) < 0)
        return declined_form();
    PyObject *text = PyDict_GetItemWithError(attrs, name_str_value);
    if (text && !(PyUnicode_Check(text) && PyUnicode_GET_LENGTH(text) == 0)) return declined_form();
    int kind = kind_of_attribute(attrs, name_dtype);
    return kind == -2 ? NULL : kind == NO_KIND ? declined_form() : filled(kind, (int)rank, sizes, value);
}

static PyObject *fill_like(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    double value = 0.0;
    if (count != 1 || Py_TYPE(inputs[0]) != array_type || number_attribute(attrs, name_value, &value) <= 0)
        return declined_form();
    Array *x = (Array *)inputs[0];
    PyObject *wanted = PyDict_GetItemWithError(attrs, name_dtype);
    int kind = !wanted || wanted == Py_None ? kind_of(x->dtype) : kind_of_attribute(attrs, name_dtype);
    return kind == -2 ? NULL : kind == NO_KIND ? declined_form() : filled(kind, x->dimensions_count, x->dimensions, value);
}

/* An array that is joined with others: where it lies, its bytes in a block of the result, and how far these lie apart. */
typedef struct {
    const char *data;
    Py_ssize_t bytes, apart;
} Part;
typedef struct {
    Part *parts;
    Py_ssize_t count, block;
    char *out;
} Joined;

/* Some bytes of the result, the parts of a block one behind the other. */
static void some_joined(void *of, Py_ssize_t begin, Py_ssize_t end) {
    const Joined *all = of;
    Py_ssize_t block = begin / all->block, place = begin % all->block, part = 0;
    while (place && place >= all->parts[part].bytes) place -= all->parts[part++].bytes;
    for (char *out = all->out + begin, *last = all->out + end; out < last;) {
        const Part *one = &all->parts[part];
        Py_ssize_t some = one->bytes - place;
        if (some > last - out) some = last - out;
        memcpy(out, one->data + block * one->apart + place, (size_t)some);
        out += some, place = 0;
        if (++part == all->count) part = 0, block++;
    }
}

/* Arrays of one dtype one behind the other along a dimension, or along a new one. */
static PyObject *join(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    int is_stacked = with != NULL;
    Py_ssize_t axis = 0, sizes[MOST_DIMENSIONS + 1], blocks = 1, inner = 1, total = 0;
    if (count < 1 || !PyList_CheckExact(inputs[0]) || (count > 1 && inputs[1] != Py_None)
        || integer_attribute(attrs, name_axis, &axis) < 0 || !PyList_GET_SIZE(inputs[0])
        || Py_TYPE(PyList_GET_ITEM(inputs[0], 0)) != array_type)
        return declined_form();
    Py_ssize_t apart, parts = PyList_GET_SIZE(inputs[0]);
    Array *first = (Array *)PyList_GET_ITEM(inputs[0], 0);
    int rank = first->dimensions_count, kind = kind_of(first->dtype);
    if (axis < 0) axis += rank + is_stacked;
    if (kind == NO_KIND || rank > MOST_DIMENSIONS - 1 || axis < 0 || axis >= rank + is_stacked) return declined_form();
    for (Py_ssize_t m = 0; m < parts; m++) {
        PyObject *one = PyList_GET_ITEM(inputs[0], m);
        Array *part = (Array *)one;
        if (Py_TYPE(one) != array_type || part->dtype != first->dtype || part->dimensions_count != rank
            || !are_rows(part, (int)axis, sizes_by_kind[kind], &apart)) return declined_form();
        for (int n = 0; n < rank; n++)
            if (part->dimensions[n] != first->dimensions[n] && (is_stacked || n != axis)) return declined_form();
        total += is_stacked ? 1 : part->dimensions[axis];
    }
    for (int n = 0; n < rank; n++) sizes[n] = first->dimensions[n];
    if (is_stacked) {
        memmove(sizes + axis + 1, sizes + axis, sizeof *sizes * (size_t)(rank - axis));
        rank++;
    }
    sizes[axis] = total;
    for (Py_ssize_t n = 0; n < axis; n++) blocks *= sizes[n];
    for (Py_ssize_t n = axis + 1; n < rank; n++) inner *= sizes[n];
    inner *= sizes_by_kind[kind];
    PyObject *result = new_array(kind, rank, sizes), *held = result ? PyList_AsTuple(inputs[0]) : NULL;
    Joined all = {.count = parts, .block = total * inner};
    if (held && (all.parts = PyMem_Malloc(sizeof *all.parts * (size_t)parts))) {
        all.out = ((Array *)result)->data;
        for (Py_ssize_t m = 0; m < parts; m++) {
            Array *part = (Array *)PyTuple_GET_ITEM(held, m);
            all.parts[m].data = part->data, all.parts[m].bytes = inner * (is_stacked ? 1 : part->dimensions[axis]);
            are_rows(part, (int)axis, sizes_by_kind[kind], &all.parts[m].apart);
        }
        Py_ssize_t bytes = blocks * all.block;
        if (bytes && run_parts(some_joined, &all, bytes, 2 * bytes) < 0) Py_CLEAR(result);
        PyMem_Free(all.parts);
    } else if (result) {
        Py_CLEAR(result);
        if (held) PyErr_NoMemory();
    }
    Py_XDECREF(held);
    return result;
}

static int has_shape_of(const Array *x, const Array *y) {
    if (x->dimensions_count != y->dimensions_count) return 0;
    for (int n = 0; n < x->dimensions_count; n++)
        if (x->dimensions[n] != y->dimensions[n]) return 0;
    return 1;
}

#define CHOOSE(NAME, T) \
    static void NAME(const char *condition, const void *one, const void *other, void *result, Py_ssize_t count, \
                     int step_x, int step_y) { \
        const T *x = one, *y = other; \
        T *restrict out = result; \
        if (step_x && step_y) \
            for (Py_ssize_t n = 0; n < count; n++) { \
                T a = x[n], b = y[n]; /* both are read, so that it needs no branch */ \
                out[n] = condition[n] ? a : b; \
            } \
        else \
            for (Py_ssize_t n = 0; n < count; n++) { \
                T a = x[n * step_x], b = y[n * step_y]; \
                out[n] = condition[n] ? a : b; \
            } \
    }

CHOOSE(choose_4, uint32_t)
CHOOSE(choose_8, uint64_t)

static PyObject *where(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    if (count != 3) return declined_form();
    for (Py_ssize_t n = 0; n < count; n++)
        if (!is_plain_array(inputs[n])) return declined_form();
    Array *condition = (Array *)inputs[0], *x = (Array *)inputs[1], *y = (Array *)inputs[2];
    int kind = kind_of(x->dtype), step_x = x->dimensions_count != 0, step_y = y->dimensions_count != 0;
    Py_ssize_t size = size_of(inputs[0]);
    if (kind < 0 || kind >= BOOL || y->dtype != x->dtype || kind_of(condition->dtype) != BOOL || size >= MOST_COPIED
        || (step_x && !has_shape_of(x, condition)) || (step_y && !has_shape_of(y, condition)))
        return declined_form();
    PyObject *result = new_array(kind, condition->dimensions_count, condition->dimensions);
    if (result)
        (sizes_by_kind[kind] == 4 ? choose_4 : choose_8)(condition->data, x->data, y->data, ((Array *)result)->data, size,
                                                         step_x, step_y);
    return result;
}

#define CLIP(NAME, T) \
    INLINE void NAME##_body(const void *given, void *result, Py_ssize_t count, T low, T high) { \
        const T *restrict x = given; \
        T *restrict out = result; \
        for (Py_ssize_t n = 0; n < count; n++) { \
            T a = x[n] < low ? low : x[n]; /* a NaN is neither */ \
            out[n] = a > high ? high : a; \
        } \
    } \
    TWO_WAYS(NAME, (const void *given, void *result, Py_ssize_t count, T low, T high), (given, result, count, low, high))

CLIP(clip_f, float)
CLIP(clip_d, double)

typedef struct {
    int kind;
    const char *x;
    char *out;
    double low, high;
} Clipped;

static void some_clipped(void *of, Py_ssize_t begin, Py_ssize_t end) {
    const Clipped *all = of;
    const char *x = all->x + begin * sizes_by_kind[all->kind];
    char *out = all->out + begin * sizes_by_kind[all->kind];
    if (all->kind == FLOAT32) clip_f(x, out, end - begin, (float)all->low, (float)all->high);
    else clip_d(x, out, end - begin, all->low, all->high);
}

static PyObject *clip(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    double low = -INFINITY, high = INFINITY;
    if (count < 1 || !is_plain_array(inputs[0])) return declined_form();
    for (Py_ssize_t n = 1; n < count; n++)
        if (inputs[n] != Py_None) return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), has_low = number_attribute(attrs, with ? name_t_min : name_min, &low);
    int has_high = number_attribute(attrs, with ? name_t_max : name_max, &high);
    Py_ssize_t size = size_of(inputs[0]), most = has_wide_vectors ? PY_SSIZE_T_MAX : 1 << 14;
    if ((kind != FLOAT32 && kind != FLOAT64) || size > most || has_low < 0 || has_high < 0 || (with && !(has_low && has_high))
        || (has_low && !(fabs(low) < 3e38)) || (has_high && !(fabs(high) < 3e38)))
        return declined_form();
    PyObject *result = new_array(kind, x->dimensions_count, x->dimensions);
    if (!result) return NULL;
    Clipped all = {kind, x->data, ((Array *)result)->data, low, high};
    if (run_parts(some_clipped, &all, size, 2 * size * sizes_by_kind[kind]) == 0) return result;
    Py_DECREF(result);
    return NULL;
}

static PyObject *eye(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t rows, columns = -1;
    if (count || integer_attribute(attrs, name_num_rows, &rows) <= 0
        || integer_attribute(attrs, name_num_columns, &columns) < 0 || rows < 0 || rows > 256 || columns > 256)
        return declined_form();
    Py_ssize_t sizes[2] = {rows, columns < 0 ? rows : columns};
    int kind = kind_of_attribute(attrs, name_dtype);
    if (kind < 0 || kind > BOOL) return kind == -2 ? NULL : declined_form();
    PyObject *result = filled(kind, 2, sizes, 0.0);
    if (!result || result == Py_NotImplemented) return result;
    for (Py_ssize_t n = 0; n < sizes[0] && n < sizes[1]; n++)
        element_of(1.0, kind, ((Array *)result)->data + sizes_by_kind[kind] * n * (sizes[1] + 1));
    return result;
}

/* Numbers one step apart. */
typedef struct {
    int kind;
    char *out;
    double start, step;
    int64_t first, apart; /* of whole numbers */
} Points;

INLINE void some_points_body(void *of, Py_ssize_t begin, Py_ssize_t end) {
    const Points *all = of;
    char *out = all->out;
    if (all->kind == INT64)
        for (Py_ssize_t n = begin; n < end; n++) ((int64_t *)(void *)out)[n] = all->first + n * all->apart;
    else if (all->kind == INT32)
        for (Py_ssize_t n = begin; n < end; n++) ((int32_t *)(void *)out)[n] = (int32_t)(all->first + n * all->apart);
    else if (all->kind == FLOAT32)
        for (Py_ssize_t n = begin; n < end; n++) ((float *)(void *)out)[n] = (float)((double)n * all->step + all->start);
    else
        for (Py_ssize_t n = begin; n < end; n++) ((double *)(void *)out)[n] = (double)n * all->step + all->start;
}

TWO_WAYS(some_points, (void *of, Py_ssize_t begin, Py_ssize_t end), (of, begin, end))

static PyObject *points(Points *all, Py_ssize_t number) {
    PyObject *result = new_array(all->kind, 1, &number);
    if (!result) return NULL;
    all->out = ((Array *)result)->data;
    if (run_parts(some_points, all, number, number * sizes_by_kind[all->kind]) == 0) return result;
    Py_DECREF(result);
    return NULL;
}

static PyObject *linspace(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Points all = {.kind = kind_of_attribute(attrs, name_dtype)};
    double stop;
    Py_ssize_t number;
    if (all.kind != FLOAT32 && all.kind != FLOAT64) return all.kind == -2 ? NULL : declined_form();
    if (count || number_attribute(attrs, name_start, &all.start) <= 0 || number_attribute(attrs, name_stop, &stop) <= 0
        || integer_attribute(attrs, name_num, &number) <= 0 || number < 1 || !(fabs(all.start) < 1e30) || !(fabs(stop) < 1e30))
        return declined_form();
    all.step = (stop - all.start) / (double)(number > 1 ? number - 1 : 1);
    PyObject *result = points(&all, number);
    if (result && number > 1) { /* exactly */
        if (all.kind == FLOAT32) ((float *)(void *)all.out)[number - 1] = (float)stop;
        else ((double *)(void *)all.out)[number - 1] = stop;
    }
    return result;
}

/* `arange` of whole numbers that a float64 holds. */
static PyObject *range(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    const Py_ssize_t most = (Py_ssize_t)1 << 52;
    Points all = {.kind = kind_of_attribute(attrs, name_dtype)};
    Py_ssize_t first, end, step;
    if (all.kind != INT64 && all.kind != INT32) return all.kind == -2 ? NULL : declined_form();
    if (count || integer_attribute(attrs, name_start, &first) <= 0 || integer_attribute(attrs, name_end, &end) <= 0
        || integer_attribute(attrs, name_step, &step) <= 0 || !step || first > most || first < -most || end > most
        || end < -most || step > most || step < -most)
        return declined_form();
    if (all.kind == INT32 && (first > INT32_MAX || first < INT32_MIN || end > INT32_MAX || end < INT32_MIN))
        return declined_form();
    Py_ssize_t way = step > 0 ? end - first : first - end, apart = step > 0 ? step : -step;
    all.first = first, all.apart = step;
    return points(&all, way > 0 ? (way + apart - 1) / apart : 0);
}

const FormEntry making_forms[] = {
    {"fill", fill, NULL}, {"fill_like", fill_like, NULL}, {"concat", join, NULL, 1}, {"stack", join, "", 1},
    {"where", where, NULL}, {"clip", clip, NULL, 1}, {"brelu", clip, "", 1},
    {"eye", eye, NULL}, {"linspace", linspace, NULL, 1}, {"range", range, NULL, 1}, {NULL, NULL, NULL}};
