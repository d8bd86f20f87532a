/* Views in other shapes: they share the memory of the array that they are made of. */
#include "_native.h"

/* The elements of so many sizes; -1 where there are too many. */
static Py_ssize_t product_of(const Py_ssize_t *sizes, Py_ssize_t count) {
    Py_ssize_t product = 1;
    for (Py_ssize_t n = 0; n < count; n++) {
        if (sizes[n] < 0 || (sizes[n] && product > PY_SSIZE_T_MAX / sizes[n])) return -1;
        product *= sizes[n];
    }
    return product;
}

/* The first input, where it is NumPy's own, and nothing else is given. */
static Array *alone(PyObject *const *inputs, Py_ssize_t count) {
    if (count < 1 || Py_TYPE(inputs[0]) != array_type) return NULL;
    for (Py_ssize_t n = 1; n < count; n++)
        if (inputs[n] != Py_None) return NULL;
    return ((Array *)inputs[0])->dimensions_count > MOST_DIMENSIONS ? NULL : (Array *)inputs[0];
}

static PyObject *contiguous_view(Array *x, Py_ssize_t rank, const Py_ssize_t *sizes) {
    return new_view((PyObject *)x, (int)rank, sizes, NULL, x->data);
}

static PyObject *reshape(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Array *x = alone(inputs, count);
    Py_ssize_t sizes[MOST_DIMENSIONS], rank, open = -1, known = 1;
    if (!x || !(x->flags & C_CONTIGUOUS) || integers_attribute(attrs, name_shape, sizes, &rank) <= 0)
        return declined_form();
    Py_ssize_t size = size_of((PyObject *)x);
    for (Py_ssize_t n = 0; n < rank; n++) {
        if (sizes[n] == -1 && open < 0) open = n;
        else if (sizes[n] <= 0 || sizes[n] > size) return declined_form();
        else if ((known *= sizes[n]) > size) return declined_form(); /* before it overflows */
    }
    if (!size || (open < 0 ? known != size : size % known != 0)) return declined_form();
    if (open >= 0) sizes[open] = size / known;
    return contiguous_view(x, rank, sizes);
}

static PyObject *flatten(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Array *x = alone(inputs, count);
    Py_ssize_t sizes[MOST_DIMENSIONS], start = 1, stop = 1;
    if (!x || !(x->flags & C_CONTIGUOUS) || integer_attribute(attrs, name_start_axis, &start) < 0
        || integer_attribute(attrs, name_stop_axis, &stop) < 0)
        return declined_form();
    Py_ssize_t rank = x->dimensions_count, made = 0;
    if (start < 0) start += rank;
    if (stop < 0) stop += rank;
    if (start < 0 || start > stop || stop >= rank) return declined_form();
    for (Py_ssize_t n = 0; n < rank; n++) {
        if (n <= start || n > stop) sizes[made++] = x->dimensions[n];
        else sizes[made - 1] *= x->dimensions[n];
    }
    return contiguous_view(x, made, sizes);
}

static PyObject *squeeze(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Array *x = alone(inputs, count);
    Py_ssize_t sizes[MOST_DIMENSIONS], axes[MOST_DIMENSIONS], named = 0, made = 0;
    if (!x || !(x->flags & C_CONTIGUOUS) || integers_attribute(attrs, name_axes, axes, &named) < 0) return declined_form();
    int rank = x->dimensions_count, leaves[MOST_DIMENSIONS];
    for (int n = 0; n < rank; n++) leaves[n] = !named;
    for (Py_ssize_t n = 0; n < named; n++) {
        if (axes[n] < -rank || axes[n] >= rank) return declined_form();
        leaves[axes[n] < 0 ? axes[n] + rank : axes[n]] = 1;
    }
    for (int n = 0; n < rank; n++)
        if (x->dimensions[n] != 1 || !leaves[n]) sizes[made++] = x->dimensions[n];
    return contiguous_view(x, made, sizes);
}

static PyObject *unsqueeze(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Array *x = alone(inputs, count);
    Py_ssize_t sizes[MOST_DIMENSIONS], axes[MOST_DIMENSIONS], more = 0;
    if (!x || !(x->flags & C_CONTIGUOUS) || integers_attribute(attrs, name_axes, axes, &more) <= 0) return declined_form();
    Py_ssize_t rank = x->dimensions_count;
    if (rank + more > MOST_DIMENSIONS) return declined_form();
    for (Py_ssize_t n = 0; n < rank; n++) sizes[n] = x->dimensions[n];
    for (Py_ssize_t n = 0; n < more; n++) {
        Py_ssize_t axis = axes[n] < 0 ? axes[n] + rank + 1 : axes[n];
        if (axis < 0 || axis > rank) return declined_form();
        memmove(sizes + axis + 1, sizes + axis, sizeof *sizes * (size_t)(rank - axis));
        sizes[axis] = 1;
        rank++;
    }
    return contiguous_view(x, rank, sizes);
}

static PyObject *transpose(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Array *x = alone(inputs, count);
    Py_ssize_t sizes[MOST_DIMENSIONS], strides[MOST_DIMENSIONS], axes[MOST_DIMENSIONS], rank = 0;
    if (!x || integers_attribute(attrs, name_axis, axes, &rank) <= 0 || rank != x->dimensions_count)
        return declined_form();
    unsigned long seen = 0;
    for (Py_ssize_t n = 0; n < rank; n++) {
        Py_ssize_t axis = axes[n] < 0 ? axes[n] + rank : axes[n];
        if (axis < 0 || axis >= rank || seen >> axis & 1) return declined_form();
        seen |= 1ul << axis;
        sizes[n] = x->dimensions[axis];
        strides[n] = x->strides[axis];
    }
    return new_view((PyObject *)x, (int)rank, sizes, strides, x->data);
}

/* Repeated along new dimensions in front and those of size 1: by strides of 0. Nobody may write to it. */
static PyObject *expand(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Array *x = alone(inputs, count);
    Py_ssize_t sizes[MOST_DIMENSIONS], strides[MOST_DIMENSIONS], rank = 0;
    if (!x || integers_attribute(attrs, name_shape, sizes, &rank) <= 0) return declined_form();
    Py_ssize_t more = rank - x->dimensions_count;
    if (more < 0 || product_of(sizes, rank) < 0) return declined_form();
    for (Py_ssize_t n = 0; n < rank; n++) {
        Py_ssize_t size = n < more ? 1 : x->dimensions[n - more];
        if (size != 1 && size != sizes[n]) return declined_form();
        strides[n] = size == 1 ? 0 : x->strides[n - more];
    }
    PyObject *view = new_view((PyObject *)x, (int)rank, sizes, strides, x->data);
    if (view) ((Array *)view)->flags &= ~WRITEABLE;
    return view;
}

/* Pieces along a dimension, so many of equal sizes or those of given ones: a list. */
static PyObject *split(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Array *x = alone(inputs, count);
    Py_ssize_t sizes[MOST_DIMENSIONS], pieces = 0, equal = 0, axis = 0, sum = 0;
    if (!x || integers_attribute(attrs, name_sections, sizes, &pieces) < 0 || integer_attribute(attrs, name_num, &equal) < 0
        || integer_attribute(attrs, name_axis, &axis) < 0)
        return declined_form();
    if (axis < 0) axis += x->dimensions_count;
    if (axis < 0 || axis >= x->dimensions_count || equal < 0 || equal > MOST_DIMENSIONS) return declined_form();
    Py_ssize_t whole = x->dimensions[axis];
    if (equal) {
        if (whole % equal) return declined_form();
        pieces = equal;
        for (Py_ssize_t n = 0; n < pieces; n++) sizes[n] = whole / equal;
    }
    for (Py_ssize_t n = 0; n < pieces; n++) {
        if (sizes[n] < 0 || sizes[n] > whole) return declined_form();
        sum += sizes[n];
    }
    if (sum != whole || !size_of((PyObject *)x)) return declined_form();
    PyObject *made = PyList_New(pieces);
    Py_ssize_t own[MOST_DIMENSIONS];
    char *data = x->data;
    memcpy(own, x->dimensions, sizeof *own * (size_t)x->dimensions_count);
    for (Py_ssize_t n = 0; made && n < pieces; n++) {
        own[axis] = sizes[n];
        PyObject *piece = new_view((PyObject *)x, x->dimensions_count, own, x->strides, data);
        data += sizes[n] * x->strides[axis];
        if (!piece) Py_CLEAR(made);
        else PyList_SET_ITEM(made, n, piece);
    }
    return made;
}

/* Keys */

const char plain_ranges_doc[] =
    "plain_ranges($module, rank, key, added, end, /)\n--\n\n"
    "The ranges of a key as `_plain_ranges` in array/indexing.py finds them, None included; NotImplemented for numbers\n"
    "that are too large to tell.";

enum { ALL_AXES, STARTS, ENDS, STRIDES, DROPPED, LISTS };

/* One bound of a slice: 0 where it is no integer, -1 where it is too large to tell. */
static int bound_of(PyObject *given, Py_ssize_t usual, Py_ssize_t *value) {
    *value = usual;
    if (given == Py_None) return 1;
    if (!PyLong_CheckExact(given)) return 0;
    return integer_in(given, value) > 0 && *value < PY_SSIZE_T_MAX ? 1 : -1;
}

static int add_number(PyObject *list, Py_ssize_t value) {
    PyObject *number = list ? PyLong_FromSsize_t(value) : NULL;
    int ended = number ? PyList_Append(list, number) : -1;
    Py_XDECREF(number);
    return ended;
}

PyObject *plain_ranges(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    Py_ssize_t rank, last, axis = 0, position = 0, named = 0, places = 0;
    if (count != 4 || integer_in(arguments[0], &rank) <= 0 || integer_in(arguments[3], &last) <= 0) return declined_form();
    PyObject *key = arguments[1], *added = arguments[2] == Py_None ? NULL : arguments[2], *lists[LISTS], *found = NULL;
    int is_many = PyTuple_CheckExact(key), jumped = 0, ended = 0;
    PyObject *const *items = is_many ? &PyTuple_GET_ITEM(key, 0) : &key;
    Py_ssize_t items_count = is_many ? PyTuple_GET_SIZE(key) : 1;
    if (items_count > MOST_DIMENSIONS || (added && !PyList_CheckExact(added))) return declined_form();
    Py_ssize_t numbers[LISTS][MOST_DIMENSIONS], dropped = 0, new_places[MOST_DIMENSIONS];
    for (Py_ssize_t n = 0; n < items_count; n++) {
        PyObject *item = items[n];
        Py_ssize_t start, end, step = 1;
        int is_known = 1;
        if (PyLong_CheckExact(item)) {
            is_known = bound_of(item, 0, &start);
            end = start == -1 ? last : start + 1;
            numbers[DROPPED][dropped++] = axis;
        } else if (PySlice_Check(item)) {
            PySliceObject *slice = (PySliceObject *)item;
            position++;
            if (slice->start == Py_None && slice->stop == Py_None && slice->step == Py_None) {
                axis++;
                continue;
            }
            int of_start = bound_of(slice->start, 0, &start), of_end = bound_of(slice->stop, last, &end);
            int of_step = bound_of(slice->step, 1, &step);
            is_known = !of_start || !of_end || !of_step ? 0 : of_start < 0 || of_end < 0 || of_step < 0 ? -1 : step >= 1;
        } else if (item == Py_None && added) {
            new_places[places++] = position++;
            continue;
        } else if (item == Py_Ellipsis && !jumped) {
            Py_ssize_t left = rank;
            for (Py_ssize_t m = 0; m < items_count; m++) left -= items[m] != Py_None && items[m] != Py_Ellipsis;
            if (left < 0) Py_RETURN_NONE;
            jumped = 1;
            axis += left, position += left;
            continue;
        } else is_known = 0;
        if (is_known < 0) return declined_form();
        if (!is_known) Py_RETURN_NONE;
        numbers[ALL_AXES][named] = axis++;
        numbers[STARTS][named] = start, numbers[ENDS][named] = end, numbers[STRIDES][named++] = step;
    }
    if ((!named && !places && !(added && PyList_GET_SIZE(added))) || axis > rank) Py_RETURN_NONE;
    for (int n = 0; n < LISTS; n++) {
        Py_ssize_t length = n == DROPPED ? dropped : named;
        lists[n] = PyList_New(0);
        for (Py_ssize_t m = 0; lists[n] && m < length && !ended; m++) ended = add_number(lists[n], numbers[n][m]);
        if (!lists[n]) ended = -1;
    }
    for (Py_ssize_t m = 0; m < places && !ended; m++) ended = add_number(added, new_places[m]);
    if (!ended) found = PyTuple_Pack(LISTS, lists[0], lists[1], lists[2], lists[3], lists[4]);
    for (int n = 0; n < LISTS; n++) Py_XDECREF(lists[n]);
    return found;
}

const FormEntry shape_forms[] = {
    {"reshape", reshape, NULL}, {"flatten", flatten, NULL}, {"squeeze", squeeze, NULL}, {"unsqueeze", unsqueeze, NULL},
    {"transpose", transpose, NULL}, {"expand", expand, NULL},
    {"split", split, NULL}, {NULL, NULL, NULL}};
