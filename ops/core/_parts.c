/* Parts of arrays by ranges, as views; values put into copies by ranges, numbers of rows and masks; arrays in the middle of padding, and turned along a dimension. */
#include "_team.h"
#include "_vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { MOST_COPIED = 1 << 16, MOST_PADDED = 1 << 28 }; /* elements */
enum { SHORT = 512, MOST_OF_PLANE = 1 << 13 }; /* bytes of a block or row, many of which NumPy copies faster; elements that stay in the cache */

/* The end of a range, or a start, within a dimension, as Python's slices have it. */
static Py_ssize_t within(Py_ssize_t place, Py_ssize_t size) {
    if (place < 0) place += size;
    return place < 0 ? 0 : place > size ? size : place;
}

/* A part of an array by ranges: its sizes and strides, and where it begins. */
typedef struct {
    char *data;
    Py_ssize_t sizes[MOST_DIMENSIONS], strides[MOST_DIMENSIONS], rank;
} Part;

/* The part that attributes name: `steps` and `drops` are called otherwise where values are put. 0 where it is left. */
static int read_part(Array *x, PyObject *attrs, PyObject *name_of_steps, PyObject *name_of_drops, Part *part) {
    Py_ssize_t axes[MOST_DIMENSIONS], starts[MOST_DIMENSIONS], ends[MOST_DIMENSIONS], steps[MOST_DIMENSIONS];
    Py_ssize_t dropped[MOST_DIMENSIONS], named = 0, more = 0, others = 0, stepped = 0, drops = 0;
    Py_ssize_t *sizes = part->sizes, *strides = part->strides;
    int rank = x->dimensions_count, leaves[MOST_DIMENSIONS] = {0}, seen[MOST_DIMENSIONS] = {0};
    if (rank > MOST_DIMENSIONS || integers_attribute(attrs, name_axes, axes, &named) <= 0
        || integers_attribute(attrs, name_starts, starts, &more) <= 0 || more != named
        || integers_attribute(attrs, name_ends, ends, &others) <= 0 || others != named
        || integers_attribute(attrs, name_of_steps, steps, &stepped) < 0 || (stepped && stepped != named)
        || integers_attribute(attrs, name_of_drops, dropped, &drops) < 0)
        return 0;
    for (Py_ssize_t n = 0; n < drops; n++) {
        if (dropped[n] < 0 || dropped[n] >= rank) return 0;
        leaves[dropped[n]] = 1;
    }
    part->data = x->data;
    part->rank = 0;
    for (int n = 0; n < rank; n++) sizes[n] = x->dimensions[n], strides[n] = x->strides[n];
    for (Py_ssize_t n = 0; n < named; n++) {
        Py_ssize_t axis = axes[n], step = stepped ? steps[n] : 1;
        if (axis < 0 || axis >= rank || seen[axis] || step < 1) return 0;
        seen[axis] = 1;
        Py_ssize_t size = sizes[axis], start = starts[n];
        if (leaves[axis]) {
            if (start < 0) start += size;
            if (start < 0 || start >= size) return 0; /* whose error says so */
        } else {
            start = within(start, size);
            Py_ssize_t length = within(ends[n], size) - start;
            sizes[axis] = length > 0 ? (length - 1) / step + 1 : 0;
            if (sizes[axis] > 1) strides[axis] *= step; /* no further than the dimension reaches */
            if (!sizes[axis]) start = 0;
        }
        part->data += start * x->strides[axis];
    }
    for (int n = 0; n < rank; n++) {
        if (leaves[n] && !seen[n]) return 0;
        if (leaves[n]) continue;
        sizes[part->rank] = sizes[n], strides[part->rank] = strides[n];
        part->rank++;
    }
    return 1;
}

static PyObject *slice(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Part part;
    if (count < 1 || !attrs || Py_TYPE(inputs[0]) != array_type) return declined_form();
    for (Py_ssize_t n = 1; n < count; n++)
        if (inputs[n] != Py_None) return declined_form();
    if (!read_part((Array *)inputs[0], attrs, name_strides, name_decrease_axis, &part)) return declined_form();
    return new_view(inputs[0], (int)part.rank, part.sizes, part.strides, part.data);
}

/* Values put into a copy of an array. */

#define PUT(BYTES) \
    case BYTES: \
        for (; size > 0; size--, to += stride, from += step) memcpy(to, from, BYTES); \
        break

/* Elements of `item` bytes to where a part lies; `steps`: in bytes, of the values, 0 where they are repeated. */
static void put(char *to, const Py_ssize_t *sizes, const Py_ssize_t *strides, Py_ssize_t rank, const char *from,
                const Py_ssize_t *steps, Py_ssize_t item) {
    if (rank > 1) {
        for (Py_ssize_t n = 0; n < *sizes; n++, to += *strides, from += *steps)
            put(to, sizes + 1, strides + 1, rank - 1, from, steps + 1, item);
        return;
    }
    Py_ssize_t size = rank ? *sizes : 1, stride = rank ? *strides : item, step = rank ? *steps : item;
    if (stride == item && step == item) memcpy(to, from, (size_t)(size * item));
    else switch (item) { PUT(1); PUT(2); PUT(4); PUT(8); PUT(16); }
}

static PyObject *copy_of(Array *x) {
    PyObject *copy = new_array(kind_of(x->dtype), x->dimensions_count, x->dimensions);
    if (copy) memcpy(((Array *)copy)->data, x->data, (size_t)(size_of((PyObject *)x) * sizes_by_kind[kind_of(x->dtype)]));
    return copy;
}

/* A copy of an array, and the steps of a value that broadcasts to so many sizes of it: NULL where that is left. */
static PyObject *copy_for(PyObject *given, PyObject *value, const Py_ssize_t *sizes, Py_ssize_t rank, Py_ssize_t *steps) {
    Array *x = (Array *)given, *v = (Array *)value;
    int kind = kind_of(x->dtype);
    Py_ssize_t more = rank - v->dimensions_count, step = kind < 0 ? 0 : sizes_by_kind[kind];
    if (kind < 0 || size_of(given) > MOST_COPIED || !is_plain_array(value) || v->dtype != x->dtype || more < 0) return NULL;
    for (Py_ssize_t n = rank - 1; n >= 0; n--) {
        Py_ssize_t length = n < more ? 1 : v->dimensions[n - more];
        if (length != 1 && length != sizes[n]) return NULL;
        steps[n] = length == 1 ? 0 : step;
        step *= length;
    }
    return copy_of(x);
}

static PyObject *not_put(void) { return PyErr_Occurred() ? NULL : declined_form(); }

static PyObject *set_value(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Part part;
    Py_ssize_t steps[MOST_DIMENSIONS], nothing[MOST_DIMENSIONS], added = 0;
    if (count < 2 || !attrs || !is_plain_array(inputs[0])
        || integers_attribute(attrs, name_none_axes, nothing, &added) < 0 || added)
        return declined_form();
    for (Py_ssize_t n = 2; n < count; n++)
        if (inputs[n] != Py_None) return declined_form();
    Array *x = (Array *)inputs[0];
    if (!read_part(x, attrs, name_steps, name_decrease_axes, &part)) return declined_form();
    PyObject *copy = copy_for(inputs[0], inputs[1], part.sizes, part.rank, steps);
    if (!copy) return not_put();
    for (Py_ssize_t n = 0; n < part.rank; n++)
        if (!part.sizes[n]) return copy;
    put(((Array *)copy)->data + (part.data - x->data), part.sizes, part.strides, part.rank,
        ((Array *)inputs[1])->data, steps, sizes_by_kind[kind_of(x->dtype)]);
    return copy;
}

/* One number for all elements where a mask, of the first sizes, is true. */
static PyObject *put_where(PyObject *given, Array *mask, PyObject *value) {
    Array *x = (Array *)given;
    Py_ssize_t none[MOST_DIMENSIONS], width = 1;
    int depth = mask->dimensions_count;
    if (!depth || depth > x->dimensions_count || ((Array *)value)->dimensions_count) return declined_form();
    for (int n = 0; n < x->dimensions_count; n++) {
        if (n >= depth) width *= x->dimensions[n];
        else if (mask->dimensions[n] != x->dimensions[n]) return declined_form();
    }
    PyObject *copy = copy_for(given, value, NULL, 0, none);
    if (!copy) return not_put();
    const Py_ssize_t item = sizes_by_kind[kind_of(x->dtype)], step = 0;
    const char *from = ((Array *)value)->data, *is_true = mask->data;
    char *to = ((Array *)copy)->data;
    for (Py_ssize_t n = 0, size = size_of((PyObject *)mask); n < size; n++, to += width * item)
        if (is_true[n]) put(to, &width, &item, 1, from, &step, item);
    return copy;
}

static PyObject *index_put(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t sizes[MOST_DIMENSIONS], steps[MOST_DIMENSIONS], strides[MOST_DIMENSIONS], width = 1;
    int accumulates = 0;
    if (count != 3 || !is_plain_array(inputs[0]) || !PyList_CheckExact(inputs[1]) || PyList_GET_SIZE(inputs[1]) != 1
        || !is_plain_array(inputs[2]) || truth_attribute(attrs, name_accumulate, &accumulates) < 0 || accumulates)
        return declined_form();
    Array *x = (Array *)inputs[0], *index = (Array *)PyList_GET_ITEM(inputs[1], 0);
    if (!is_plain_array((PyObject *)index)) return declined_form();
    int kind = kind_of(index->dtype), wide = kind_of(x->dtype), depth = index->dimensions_count, rank = x->dimensions_count;
    if (kind == BOOL) return put_where(inputs[0], index, inputs[2]);
    if (kind != INT64 || wide < 0 || rank < 1 || depth < 1 || depth + rank - 1 > MOST_DIMENSIONS) return declined_form();
    Py_ssize_t rows = x->dimensions[0], places = size_of((PyObject *)index), item = sizes_by_kind[wide];
    const int64_t *at = (const int64_t *)index->data;
    for (Py_ssize_t n = 0; n < places; n++)
        if (at[n] < -rows || at[n] >= rows) return declined_form(); /* whose error says so */
    for (int n = 0; n < depth; n++) sizes[n] = index->dimensions[n];
    for (int n = rank - 1; n > 0; n--) {
        sizes[depth + n - 1] = x->dimensions[n], strides[n - 1] = width * item;
        width *= x->dimensions[n];
    }
    PyObject *copy = copy_for(inputs[0], inputs[2], sizes, depth + rank - 1, steps);
    if (!copy) return not_put();
    int repeats = ((Array *)inputs[2])->dimensions_count < rank; /* the same for all places */
    Py_ssize_t apart = repeats ? 0 : width * item;
    for (int n = 0; !repeats && n < depth + rank - 1; n++)
        if (!steps[n] && sizes[n] > 1) { /* repeated along some dimension: the kernel's */
            Py_DECREF(copy);
            return declined_form();
        }
    const char *from = ((Array *)inputs[2])->data;
    for (Py_ssize_t n = 0; width && n < places; n++, from += apart) {
        char *to = ((Array *)copy)->data + (at[n] < 0 ? at[n] + rows : at[n]) * width * item;
        if (repeats) put(to, sizes + depth, strides, rank - 1, from, steps + depth, item);
        else memcpy(to, from, (size_t)(width * item));
    }
    return copy;
}

/* Rows added at numbers of rows, in turn: what the kernels do along the first dimension. */
#define ADDED(NAME, T, U) \
    INLINE void NAME##_body(void *into, const int64_t *at, const void *rows, Py_ssize_t count, Py_ssize_t size, \
                            Py_ssize_t width) { \
        for (Py_ssize_t n = 0; n < count; n++) { \
            T *restrict to = (T *)into + (at[n] < 0 ? at[n] + size : at[n]) * width; \
            const T *restrict from = (const T *)rows + n * width; \
            for (Py_ssize_t m = 0; m < width; m++) to[m] = (T)((U)to[m] + (U)from[m]); \
        } \
    } \
    TWO_WAYS(NAME, (void *into, const int64_t *at, const void *rows, Py_ssize_t count, Py_ssize_t size, Py_ssize_t width), \
             (into, at, rows, count, size, width))
ADDED(added_f, float, float)
ADDED(added_d, double, double)
ADDED(added_l, int64_t, uint64_t)
ADDED(added_i, int32_t, uint32_t)

/* `with`: the numbers stand in a last dimension of size 1, and no axis is named. */
static PyObject *rows_added(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t axis = 0, width = 1;
    if (count < 3 || (count > 3 && inputs[3] != Py_None) || !is_plain_array(inputs[0]) || !is_plain_array(inputs[1])
        || !is_plain_array(inputs[2]) || (!with && integer_attribute(attrs, name_axis, &axis) < 0))
        return declined_form();
    Array *x = (Array *)inputs[0], *index = (Array *)inputs[1], *rows = (Array *)inputs[2];
    int kind = kind_of(x->dtype), rank = x->dimensions_count, depth = index->dimensions_count - (with != NULL);
    if (kind < 0 || kind > INT32 || rows->dtype != x->dtype || rank < 1 || (axis != 0 && axis != -rank)
        || kind_of(index->dtype) != INT64 || depth != 1 || (with && index->dimensions[1] != 1)
        || rows->dimensions_count != rank || rows->dimensions[0] != index->dimensions[0] || size_of(inputs[2]) > MOST_COPIED
        || size_of(inputs[0]) > MOST_COPIED)
        return declined_form();
    for (int n = 1; n < rank; n++) {
        if (rows->dimensions[n] != x->dimensions[n]) return declined_form();
        width *= x->dimensions[n];
    }
    Py_ssize_t places = index->dimensions[0], size = x->dimensions[0];
    const int64_t *at = (const int64_t *)index->data;
    for (Py_ssize_t n = 0; n < places; n++)
        if (at[n] < -size || at[n] >= size) return declined_form(); /* whose error says so */
    PyObject *copy = copy_of(x);
    if (!copy) return NULL;
    void *into = ((Array *)copy)->data;
    if (kind == FLOAT32) added_f(into, at, rows->data, places, size, width);
    else if (kind == FLOAT64) added_d(into, at, rows->data, places, size, width);
    else if (kind == INT64) added_l(into, at, rows->data, places, size, width);
    else added_i(into, at, rows->data, places, size, width);
    return copy;
}

/* Matrices with zeros above a diagonal, or below it. */
static PyObject *triangle(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t diagonal = 0;
    int lower = 1;
    if (count != 1 || !is_plain_array(inputs[0]) || integer_attribute(attrs, name_diagonal, &diagonal) < 0
        || truth_attribute(attrs, name_lower, &lower) < 0)
        return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]);
    if (kind < 0 || rank < 2 || !size || size > MOST_COPIED || diagonal > MOST_COPIED || diagonal < -MOST_COPIED)
        return declined_form();
    PyObject *copy = copy_of(x);
    if (!copy) return NULL;
    Py_ssize_t rows = x->dimensions[rank - 2], columns = x->dimensions[rank - 1], item = sizes_by_kind[kind];
    char *row = ((Array *)copy)->data;
    for (Py_ssize_t n = 0; n < size / columns; n++, row += columns * item) {
        Py_ssize_t at = n % rows + diagonal + lower; /* the first that is above the diagonal, or not below it */
        at = at < 0 ? 0 : at > columns ? columns : at;
        if (lower) memset(row + at * item, 0, (size_t)((columns - at) * item));
        else memset(row, 0, (size_t)(at * item));
    }
    return copy;
}

/* Rows of so many bytes, which begin `apart` bytes from each other; short ones by words, without a call. */
static void put_rows(char *restrict to, const char *restrict from, Py_ssize_t rows, size_t bytes, size_t apart) {
    if (bytes % 4 == 0 && bytes <= 256)
        for (; rows > 0; rows--, to += apart, from += bytes)
            for (size_t n = 0; n < bytes; n += 4) memcpy(to + n, from + n, 4);
    else
        for (; rows > 0; rows--, to += apart, from += bytes) memcpy(to, from, bytes);
}

/* The same of many elements, row by row of the result. */
typedef struct {
    const Array *x;
    const Py_ssize_t *sizes, *before; /* of the result; of the padding */
    char *out;
    int kind;
    double value;
} Around;

static char *put_value(char *to, Py_ssize_t count, int kind, double value) {
    if (value == 0) memset(to, 0, (size_t)(count * sizes_by_kind[kind]));
    else
        for (Py_ssize_t n = 0; n < count; n++) {
            if (kind == FLOAT32) ((float *)(void *)to)[n] = (float)value;
            else ((double *)(void *)to)[n] = value;
        }
    return to + count * sizes_by_kind[kind];
}

/* Planes of the last two dimensions, whose rows are short. */
static void some_planes(void *of, Py_ssize_t begin, Py_ssize_t end) {
    const Around *all = of;
    int last = all->x->dimensions_count - 1;
    const Py_ssize_t *inside = all->x->dimensions, *sizes = all->sizes, item = sizes_by_kind[all->kind];
    Py_ssize_t bytes = inside[last] * item, apart = sizes[last] * item, plane = sizes[last - 1] * apart;
    char *to = all->out + begin * plane;
    for (Py_ssize_t at = begin; at < end; at++, to += plane) {
        Py_ssize_t rest = at, from = 0, planes = 1, is_inside = 1;
        for (int n = last - 2; n >= 0; n--) {
            Py_ssize_t place = rest % sizes[n] - all->before[n];
            is_inside &= place >= 0 && place < inside[n];
            from += place * planes, planes *= inside[n], rest /= sizes[n];
        }
        put_value(to, plane / item, all->kind, all->value);
        if (!is_inside) continue;
        put_rows(to + all->before[last - 1] * apart + all->before[last] * item, all->x->data + from * inside[last - 1] * bytes,
                 inside[last - 1], (size_t)bytes, (size_t)apart);
    }
}

static void some_around(void *of, Py_ssize_t begin, Py_ssize_t end) {
    const Around *all = of;
    int last = all->x->dimensions_count - 1;
    Py_ssize_t width = all->x->dimensions[last], whole = all->sizes[last], bytes = width * sizes_by_kind[all->kind];
    char *to = all->out + begin * whole * sizes_by_kind[all->kind];
    for (Py_ssize_t row = begin; row < end; row++) {
        Py_ssize_t rest = row, from = 0, rows = 1, is_inside = 1;
        for (int n = last - 1; n >= 0; n--) {
            Py_ssize_t place = rest % all->sizes[n] - all->before[n];
            is_inside &= place >= 0 && place < all->x->dimensions[n];
            from += place * rows, rows *= all->x->dimensions[n], rest /= all->sizes[n];
        }
        if (is_inside) {
            to = put_value(to, all->before[last], all->kind, all->value);
            memcpy(to, all->x->data + from * bytes, (size_t)bytes);
            to = put_value(to + bytes, whole - width - all->before[last], all->kind, all->value);
        } else to = put_value(to, whole, all->kind, all->value);
    }
}

/* x between `before` and `behind` of a value in each dimension. */
static PyObject *surrounded(Array *x, const Py_ssize_t *before, const Py_ssize_t *behind, double value) {
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t sizes[MOST_DIMENSIONS], size = 1;
    if (kind < 0 || rank < 1 || rank > 6 || (value != 0 && kind != FLOAT32 && kind != FLOAT64)) return declined_form();
    for (int n = 0; n < rank; n++) {
        if (before[n] < 0 || behind[n] < 0 || before[n] > MOST_COPIED || behind[n] > MOST_COPIED) return declined_form();
        sizes[n] = x->dimensions[n] + before[n] + behind[n];
        if (sizes[n] > MOST_PADDED || (size *= sizes[n]) > MOST_PADDED) return declined_form();
    }
    size_t item = (size_t)sizes_by_kind[kind];
    int is_large = size > MOST_COPIED;
    int is_short = is_large && item * (size_t)sizes[rank - 1] < SHORT;
    Py_ssize_t part = sizes[rank - 1] * (is_short && rank > 1 ? sizes[rank - 2] : 1); /* what a thread fills at once */
    if (is_short && (rank < 3 || part > MOST_OF_PLANE)) return declined_form();
    PyObject *result = new_array(kind, rank, sizes);
    if (!result) return NULL;
    char *out = ((Array *)result)->data;
    if (is_large) {
        Around all = {x, sizes, before, out, kind, value};
        Share share = is_short ? some_planes : some_around;
        if (run_parts(share, &all, size / part, 2 * size * (Py_ssize_t)item) == 0) return result;
        Py_DECREF(result);
        return NULL;
    }
    put_value(out, size, kind, value);
    Py_ssize_t width = x->dimensions[rank - 1], height = rank > 1 ? x->dimensions[rank - 2] : 1;
    Py_ssize_t blocks = width && height ? size_of((PyObject *)x) / (width * height) : 0, place[MOST_DIMENSIONS] = {0};
    const char *from = x->data;
    for (Py_ssize_t block = 0; block < blocks; block++) {
        Py_ssize_t at = 0;
        for (int n = 0; n < rank; n++) at = at * sizes[n] + before[n] + (n < rank - 2 ? place[n] : 0);
        put_rows(out + item * (size_t)at, from, height, item * (size_t)width, item * (size_t)sizes[rank - 1]);
        from += item * (size_t)(width * height);
        for (int n = rank - 3; n >= 0 && ++place[n] == x->dimensions[n]; n--) place[n] = 0;
    }
    return result;
}

/* Two numbers for each dimension, the first one first. */
static PyObject *pad(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t widths[MOST_DIMENSIONS], named = 0, before[MOST_DIMENSIONS], behind[MOST_DIMENSIONS];
    double value = 0;
    if (count != 1 || !is_plain_array(inputs[0]) || integers_attribute(attrs, name_paddings, widths, &named) <= 0
        || named != 2 * ((Array *)inputs[0])->dimensions_count || number_attribute(attrs, name_pad_value, &value) < 0)
        return declined_form();
    for (Py_ssize_t n = 0; n < named / 2; n++) before[n] = widths[2 * n], behind[n] = widths[2 * n + 1];
    return surrounded((Array *)inputs[0], before, behind, value);
}

/* Two numbers for each dimension behind the channels, the last one first. */
static PyObject *pad_image(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t widths[MOST_DIMENSIONS], named = 0, before[MOST_DIMENSIONS] = {0}, behind[MOST_DIMENSIONS] = {0};
    double value = 0;
    if (count != 1 || !attrs || !is_plain_array(inputs[0])
        || integers_attribute(attrs, name_paddings, widths, &named) <= 0
        || number_attribute(attrs, name_value, &value) < 0)
        return declined_form();
    int rank = ((Array *)inputs[0])->dimensions_count;
    PyObject *format = PyDict_GetItemWithError(attrs, name_data_format);
    if (rank < 3 || named != 2 * (rank - 2) || (format && (!PyUnicode_Check(format) || PyUnicode_GET_LENGTH(format) < 2
                                                           || PyUnicode_READ_CHAR(format, 1) != 'C')))
        return declined_form();
    for (Py_ssize_t n = 0; n < named / 2; n++) before[rank - 1 - n] = widths[2 * n], behind[rank - 1 - n] = widths[2 * n + 1];
    return surrounded((Array *)inputs[0], before, behind, value);
}

/* Blocks of bytes whose last ones, `behind` of them, come first. */
typedef struct {
    const char *x;
    char *out;
    Py_ssize_t block, behind;
} Turned;

static void some_turned(void *of, Py_ssize_t begin, Py_ssize_t end) {
    const Turned *all = of;
    for (Py_ssize_t at = begin; at < end;) {
        Py_ssize_t place = at % all->block, is_first = place < all->behind, until = is_first ? all->behind : all->block;
        Py_ssize_t count = until - place < end - at ? until - place : end - at;
        memcpy(all->out + at, all->x + at + (is_first ? all->block - all->behind : -all->behind), (size_t)count);
        at += count;
    }
}

static PyObject *roll(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t shifts[MOST_DIMENSIONS], axes[MOST_DIMENSIONS], moved = 0, named = 0;
    if (count < 1 || !is_plain_array(inputs[0]) || (count > 1 && inputs[1] != Py_None)
        || integers_attribute(attrs, name_shifts, shifts, &moved) <= 0 || moved != 1
        || integers_attribute(attrs, name_axis, axes, &named) < 0 || named > 1)
        return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t size = size_of(inputs[0]), along = size, inner = 1;
    if (kind == NO_KIND || size < 1) return declined_form();
    if (named) {
        Py_ssize_t axis = axes[0] < 0 ? axes[0] + rank : axes[0];
        if (axis < 0 || axis >= rank) return declined_form();
        along = x->dimensions[axis];
        for (Py_ssize_t n = axis + 1; n < rank; n++) inner *= x->dimensions[n];
    }
    Py_ssize_t shift = shifts[0] % along, item = sizes_by_kind[kind];
    if (size > MOST_COPIED && along * inner * item < SHORT) return declined_form();
    if (shift < 0) shift += along;
    PyObject *result = new_array(kind, rank, x->dimensions);
    if (!result) return NULL;
    Turned all = {x->data, ((Array *)result)->data, along * inner * item, shift * inner * item};
    if (run_parts(some_turned, &all, size * item, 2 * size * item) == 0) return result;
    Py_DECREF(result);
    return NULL;
}

/* The rows of x, along its first dimension, that whole numbers name; these come where that dimension was. */
static PyObject *rows_of(Array *x, Array *places, int places_rank) {
    int kind = kind_of(x->dtype), rank = places_rank + x->dimensions_count - 1;
    Py_ssize_t sizes[MOST_DIMENSIONS], inner = 1, count = 1;
    if (kind == NO_KIND || kind_of(places->dtype) != INT64 || rank > MOST_DIMENSIONS) return declined_form();
    for (int n = 0; n < places_rank; n++) {
        sizes[n] = places->dimensions[n];
        if (sizes[n] > MOST_COPIED || (count *= sizes[n]) > MOST_COPIED) return declined_form();
    }
    for (int n = 1; n < x->dimensions_count; n++) {
        sizes[places_rank + n - 1] = x->dimensions[n];
        if (x->dimensions[n] > MOST_COPIED || (inner *= x->dimensions[n]) > MOST_COPIED) return declined_form();
    }
    if (count * inner > MOST_COPIED) return declined_form();
    const int64_t *places_data = (const int64_t *)(void *)places->data;
    for (Py_ssize_t n = 0; n < count; n++)
        if (places_data[n] < 0 || places_data[n] >= x->dimensions[0]) return declined_form();
    PyObject *result = new_array(kind, rank, sizes);
    if (!result) return NULL;
    size_t bytes = (size_t)(inner * sizes_by_kind[kind]);
    char *out = ((Array *)result)->data;
    for (Py_ssize_t n = 0; n < count; n++, out += bytes) memcpy(out, x->data + bytes * (size_t)places_data[n], bytes);
    return result;
}

static PyObject *lookup(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t padding = -1;
    if (count != 2 || !is_plain_array(inputs[0]) || !is_plain_array(inputs[1])
        || ((Array *)inputs[1])->dimensions_count != 2 || integer_attribute(attrs, name_padding_idx, &padding) < 0
        || padding != -1)
        return declined_form();
    return rows_of((Array *)inputs[1], (Array *)inputs[0], ((Array *)inputs[0])->dimensions_count);
}

/* Rows along the first dimension by numbers in one: gather, and index_select, which names the dimension otherwise. */
static PyObject *taken(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t axis = 0;
    if (count < 2 || !is_plain_array(inputs[0]) || !is_plain_array(inputs[1]) || (count > 2 && inputs[2] != Py_None)
        || ((Array *)inputs[0])->dimensions_count < 1 || ((Array *)inputs[1])->dimensions_count != 1
        || integer_attribute(attrs, with ? name_dim : name_axis, &axis) < 0 || axis != 0)
        return declined_form();
    return rows_of((Array *)inputs[0], (Array *)inputs[1], 1);
}

/* Where the places hold one number each: in a last dimension of size 1. */
static PyObject *gather_nd(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    if (count != 2 || !is_plain_array(inputs[0]) || !is_plain_array(inputs[1])) return declined_form();
    Array *x = (Array *)inputs[0], *places = (Array *)inputs[1];
    int last = places->dimensions_count - 1;
    if (x->dimensions_count < 1 || last < 0 || places->dimensions[last] != 1) return declined_form();
    return rows_of(x, places, last);
}

const FormEntry part_forms[] = {
    {"slice", slice, NULL}, {"set_value", set_value, NULL}, {"index_put", index_put, NULL}, {"rows_added", rows_added, NULL}, {"triangle", triangle, NULL},
    {"rows_added_by_coordinates", rows_added, ""}, {"pad", pad, NULL, 1}, {"pad_image", pad_image, NULL, 1}, {"roll", roll, NULL, 1},
    {"lookup", lookup, NULL}, {"gather_nd", gather_nd, NULL}, {"gather", taken, NULL}, {"index_select", taken, ""},
    {NULL, NULL, NULL}};
