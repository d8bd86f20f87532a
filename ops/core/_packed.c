/* A convolution, or a product with a matrix, whose weight stays: packed once in panels (`_panels.c`), for inputs of any
   size, as a plan calls it again and again.

   It looks whether it is given what it was made for, and gives None where it is not, or where arrays lie otherwise. */
#include "_panels.h"

enum { FEW_CHANNELS = 4, MOST_AROUND = 1 << 18, MOST_SPOTS = 1 << 10 };
/* Channels up to which images are brought into order here, with their padding; elements that this may add, or else as many
   as there are; elements of a window, for which there is a table. */

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *weight, *scale, *bias; /* what it is called with: by identity */
    PyObject *data;                  /* what the panels, the bias and zeros lie in */
    Convolution how;
    Py_ssize_t bottom, right; /* padding; that before stands in `how` */
    int is_matrix, is_by_channel; /* whether each channel has a filter of its own */
    const float *panels;
    const int *threads_now;
    Team team;
} Packed;

PyTypeObject *packed_type; /* one interpreter has this module */

/* What threads share that bring a weight into its panels, times the factors, or out of them into `w`. */
typedef struct {
    const Packed *packed;
    float *w;
    const float *factors;
    int is_out;
} Moved;

/* Filters from `from` to `to`. Tiles of both stay in the cache. */
static void move_filters(const Moved *moved, Py_ssize_t from, Py_ssize_t to) {
    enum { TOGETHER = 16 };
    const Packed *packed = moved->packed;
    Py_ssize_t filters = packed->how.filters, channels = packed->how.channels, spots = packed->how.high * packed->how.wide;
    Py_ssize_t steps = spots * channels, apart;
    float *w = moved->w, *panels = (float *)packed->panels;
    for (Py_ssize_t first = from; first < to; first += TOGETHER)
        for (Py_ssize_t begin = 0; begin < channels; begin += TOGETHER)
            for (Py_ssize_t f = first; f < to && f < first + TOGETHER; f++) {
                float factor = moved->factors && f < filters ? moved->factors[f] : 1.0f;
                Py_ssize_t end = begin + TOGETHER < channels ? begin + TOGETHER : channels;
                float *at = panels + place_in_panels(filters, steps, f, begin, &apart);
                float *number = w + (f * channels + begin) * spots;
                Py_ssize_t step = channels * apart;
                for (Py_ssize_t c = begin; c < end; c++, at += apart, number += spots)
                    if (f >= filters)
                        for (Py_ssize_t s = 0; s < spots; s++) at[s * step] = 0.0f;
                    else if (moved->is_out)
                        for (Py_ssize_t s = 0; s < spots; s++) number[s] = at[s * step];
                    else
                        for (Py_ssize_t s = 0; s < spots; s++) at[s * step] = factor * number[s];
            }
}

/* The same of a matrix, of which neighbours stay neighbours. */
static void move_columns(const Moved *moved, Py_ssize_t from, Py_ssize_t to) {
    enum { TOGETHER = 16 };
    const Packed *packed = moved->packed;
    Py_ssize_t filters = packed->how.filters, channels = packed->how.channels, width = width_of_panels(), apart;
    for (Py_ssize_t begin = 0; begin < channels; begin += TOGETHER)
        for (Py_ssize_t first = from; first < to; first += width) {
            float *place = (float *)packed->panels + place_in_panels(filters, channels, first, begin, &apart);
            Py_ssize_t count = filters - first < apart ? filters - first : apart;
            Py_ssize_t end = begin + TOGETHER < channels ? begin + TOGETHER : channels;
            float *w = moved->w + begin * filters + first;
            for (Py_ssize_t c = begin; c < end; c++, place += apart, w += filters)
                if (moved->is_out) memcpy(w, place, sizeof *w * (size_t)count);
                else {
                    memcpy(place, w, sizeof *w * (size_t)count);
                    if (count < apart) memset(place + count, 0, sizeof *w * (size_t)(apart - count));
                }
        }
}

/* Filters of a channel each: a row for each element of a window. */
static void move_channels(const Moved *moved) {
    Py_ssize_t channels = moved->packed->how.channels, spots = moved->packed->how.high * moved->packed->how.wide;
    float *rows = (float *)moved->packed->panels;
    for (Py_ssize_t c = 0; c < channels; c++)
        for (Py_ssize_t s = 0; s < spots; s++)
            if (moved->is_out) moved->w[c * spots + s] = rows[s * channels + c];
            else rows[s * channels + c] = (moved->factors ? moved->factors[c] : 1.0f) * moved->w[c * spots + s];
}

static void move_share(void *data) {
    const Moved *moved = data;
    const Packed *packed = moved->packed;
    const Team *team = &packed->team;
    Py_ssize_t whole = whole_filters(packed->how.filters), width = width_of_panels(), count = (whole + width - 1) / width;
    int number = team->parallel ? team->number() : 0, threads = team->parallel ? team->count() : 1;
    Py_ssize_t from = count * number / threads * width, to = count * (number + 1) / threads * width;
    if (to > whole) to = whole;
    if (packed->is_matrix) move_columns(moved, from, to);
    else move_filters(moved, from, to);
}

/* All of it, by several threads where it is much. */
static void move_weight(const Packed *packed, float *w, const float *factors, int is_out, int threads) {
    Moved moved = {packed, w, factors, is_out};
    Py_ssize_t whole = whole_filters(packed->how.filters);
    if (packed->is_by_channel) move_channels(&moved);
    else if (packed->team.parallel && threads > 1 && whole * packed->how.channels >= 1 << 16)
        packed->team.parallel(move_share, &moved, (unsigned)threads, 0);
    else if (packed->is_matrix) move_columns(&moved, 0, whole);
    else move_filters(&moved, 0, whole);
}

static PyObject *unpacked(PyObject *self, PyObject *nothing) {
    Packed *packed = (Packed *)self;
    Py_ssize_t of_matrix[2] = {packed->how.channels, packed->how.filters};
    Py_ssize_t of_filters[4] = {packed->how.filters, packed->is_by_channel ? 1 : packed->how.channels, packed->how.high,
                                packed->how.wide};
    PyObject *result = packed->is_matrix ? new_array(FLOAT32, 2, of_matrix) : new_array(FLOAT32, 4, of_filters);
    if (!result) return NULL;
    int threads = *packed->threads_now;
    Py_BEGIN_ALLOW_THREADS
    move_weight(packed, (float *)((Array *)result)->data, NULL, 1, threads);
    Py_END_ALLOW_THREADS
    return result;
}

/* Whether it is an array of float32 images [n, c, h, w]; `steps` from image, channel, line and element to the next. */
static int are_images(PyObject *given, Py_ssize_t *steps) {
    Array *x = (Array *)given;
    if (Py_TYPE(given) != array_type || x->dimensions_count != 4 || x->dtype != dtypes_by_kind[FLOAT32] ||
        !(x->flags & ALIGNED) || size_of(given) < 1) return 0;
    for (int n = 0; n < 4; n++) {
        if (x->strides[n] % 4) return 0;
        steps[n] = x->strides[n] / 4;
    }
    return 1;
}

/* Images of a few channels with these side by side and zeros around them, and what they are made of. */
typedef struct {
    const Convolution *of;
    const Py_ssize_t *steps;
    Py_ssize_t height, width; /* with what is around them */
    float *made;
    const Team *team;
} Ordered;

static void order_lines(const Ordered *all, Py_ssize_t from, Py_ssize_t end) {
    const Convolution *of = all->of;
    Py_ssize_t channels = of->channels;
    float *to = all->made + from * all->width * channels;
    for (; from < end; from++, to += all->width * channels) {
        Py_ssize_t image = from / all->height, line = from % all->height - of->top;
        int is_inside = line >= 0 && line < of->height;
        if (!is_inside || all->width > of->width) memset(to, 0, (size_t)(all->width * channels) * sizeof *to);
        for (Py_ssize_t c = 0; c < channels && is_inside; c++) {
            const float *x = of->x + image * all->steps[0] + c * all->steps[1] + line * all->steps[2];
            float *at = to + of->left * channels + c;
            for (Py_ssize_t w = 0; w < of->width; w++, at += channels, x += all->steps[3]) *at = *x;
        }
    }
}

static void order_share(void *data) {
    const Ordered *all = data;
    Py_ssize_t lines = all->of->images * all->height, number = all->team->number(), threads = all->team->count();
    order_lines(all, lines * number / threads, lines * (number + 1) / threads);
}

/* They are what `of` reads then: lines of windows are one element each. NULL where there is no memory. */
static float *in_order(Convolution *of, const Py_ssize_t *steps, const Packed *packed, int threads) {
    Py_ssize_t height = of->height + of->top + packed->bottom, width = of->width + of->left + packed->right;
    Py_ssize_t channels = of->channels, size = of->images * height * width * channels;
    Ordered all = {of, steps, height, width, PyMem_RawMalloc((size_t)size * sizeof(float)), &packed->team};
    if (!all.made) return NULL;
    if (threads > 1 && packed->team.parallel && size >= 1 << 15)
        packed->team.parallel(order_share, &all, (unsigned)threads, 0);
    else order_lines(&all, 0, of->images * height);
    of->x = all.made, of->height = height, of->width = width, of->top = of->left = 0;
    of->element_step = channels, of->line_step = width * channels, of->image_step = height * width * channels;
    of->channels = of->wide * channels, of->wide = 1;
    return all.made;
}

/* The result of the convolution as `packed` has it, in an array of its own; None where images lie otherwise. */
static PyObject *convolved(const Packed *packed, PyObject *x, PyObject *residual) {
    Convolution of = packed->how;
    Py_ssize_t steps[4], others[4];
    if (!are_images(x, steps)) Py_RETURN_NONE;
    Py_ssize_t *sizes = ((Array *)x)->dimensions;
    int is_brought = of.channels <= FEW_CHANNELS && !packed->is_by_channel && of.apart_across == 1 && of.wide > 1;
    double whole = (double)(sizes[2] + of.top + packed->bottom) * (double)(sizes[3] + of.left + packed->right);
    double around = (double)sizes[0] * (whole - (double)sizes[2] * (double)sizes[3]);
    if (around > MOST_AROUND && around > (double)sizes[0] * (double)sizes[2] * (double)sizes[3]) is_brought = 0;
    if (sizes[1] != of.channels || (!is_brought && steps[1] != 1 && sizes[1] != 1)) Py_RETURN_NONE;
    of.images = sizes[0], of.height = sizes[2], of.width = sizes[3];
    of.image_step = steps[0], of.line_step = steps[2], of.element_step = steps[3];
    of.rows = of.height + of.top + packed->bottom - (of.high - 1) * of.apart_down - 1;
    of.columns = of.width + of.left + packed->right - (of.wide - 1) * of.apart_across - 1;
    if (of.rows < 0 || of.columns < 0) Py_RETURN_NONE;
    of.rows = of.rows / of.down + 1, of.columns = of.columns / of.across + 1;
    of.x = (const float *)((Array *)x)->data;
    Py_ssize_t made[4] = {of.images, of.filters, of.rows, of.columns}, line = of.filters * of.columns;
    Py_ssize_t strides[4] = {4 * line * of.rows, 4, 4 * line, 4 * of.filters};
    if (residual != Py_None) {
        if (!are_images(residual, others) || memcmp(((Array *)residual)->dimensions, made, sizeof made) ||
            memcmp(((Array *)residual)->strides, strides, sizeof strides)) Py_RETURN_NONE;
        of.residual = (const float *)((Array *)residual)->data;
    }
    PyObject *result = new_array_lying(FLOAT32, 4, made, strides);
    if (!result) return NULL;
    int ended = 1, threads = *packed->threads_now;
    float *ordered = NULL, *out = (float *)((Array *)result)->data;
    Py_BEGIN_ALLOW_THREADS
    if (is_brought) ended = (ordered = in_order(&of, steps, packed, threads)) != NULL;
    if (ended) ended = multiply_panels(&of, packed->is_by_channel, packed->panels, out, &packed->team, threads);
    PyMem_RawFree(ordered);
    Py_END_ALLOW_THREADS
    if (ended) return result;
    Py_DECREF(result);
    return PyErr_NoMemory();
}

/* The product of the rows of x [..., k] with the matrix; None where they do not lie one behind the other. */
static PyObject *multiplied(const Packed *packed, PyObject *x, PyObject *residual) {
    Convolution of = packed->how;
    Array *given = (Array *)x;
    int count = is_plain_array(x) ? given->dimensions_count : 0;
    if (count < 1 || count > MOST_DIMENSIONS || given->dtype != dtypes_by_kind[FLOAT32] || size_of(x) < 1 ||
        given->dimensions[count - 1] != of.channels) Py_RETURN_NONE;
    Py_ssize_t made[MOST_DIMENSIONS];
    memcpy(made, given->dimensions, (size_t)count * sizeof *made);
    made[count - 1] = of.filters;
    if (residual != Py_None) {
        Array *added = (Array *)residual;
        if (!is_plain_array(residual) || added->dtype != given->dtype || added->dimensions_count != count ||
            memcmp(added->dimensions, made, (size_t)count * sizeof *made)) Py_RETURN_NONE;
        of.residual = (const float *)added->data;
    }
    of.width = of.columns = size_of(x) / of.channels;
    of.x = (const float *)given->data;
    PyObject *result = new_array(FLOAT32, count, made);
    if (!result) return NULL;
    int ended, threads = *packed->threads_now;
    Py_BEGIN_ALLOW_THREADS
    ended = multiply_panels(&of, 0, packed->panels, (float *)((Array *)result)->data, &packed->team, threads);
    Py_END_ALLOW_THREADS
    if (ended) return result;
    Py_DECREF(result);
    return PyErr_NoMemory();
}

PyObject *call_packed(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
    Packed *packed = (Packed *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flags); /* a matrix has no scale */
    if (count != (packed->is_matrix ? 4 : 5) || names) {
        PyErr_SetString(PyExc_TypeError, "a packed weight is called with x, weight, scale, bias, residual");
        return NULL;
    }
    PyObject *x = arguments[0], *bias = arguments[count - 2], *residual = arguments[count - 1];
    PyObject *weight = PyWeakref_CheckRef(packed->weight) ? referent_of(packed->weight) : packed->weight;
    if (arguments[1] != weight || bias != packed->bias || (count == 5 && arguments[2] != packed->scale))
        Py_RETURN_NONE;
    Py_INCREF(self); /* for as long as others may run */
    Py_INCREF(x);
    Py_INCREF(residual);
    PyObject *result = packed->is_matrix ? multiplied(packed, x, residual) : convolved(packed, x, residual);
    Py_DECREF(residual);
    Py_DECREF(x);
    Py_DECREF(self);
    return result;
}

static int visit_packed(PyObject *self, visitproc visit, void *arg) {
    Packed *packed = (Packed *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(packed->weight);
    Py_VISIT(packed->scale);
    Py_VISIT(packed->bias);
    Py_VISIT(packed->data);
    return 0;
}

static int clear_packed(PyObject *self) {
    Packed *packed = (Packed *)self;
    Py_CLEAR(packed->weight);
    Py_CLEAR(packed->scale);
    Py_CLEAR(packed->bias);
    return 0; /* the memory goes with the object, which may still run */
}

static void free_packed(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear_packed(self);
    Py_CLEAR(((Packed *)self)->data);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMemberDef packed_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Packed, vectorcall), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

static PyMethodDef packed_methods[] = {
    {"unpacked", unpacked, METH_NOARGS, "unpacked($self, /)\n--\n\nThe weight, times the scale, in a new array."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot packed_slots[] = {{Py_tp_call, PyVectorcall_Call}, {Py_tp_traverse, visit_packed},
                                     {Py_tp_clear, clear_packed},     {Py_tp_dealloc, free_packed},
                                     {Py_tp_members, packed_members}, {Py_tp_methods, packed_methods}, {0, NULL}};

static PyType_Spec packed_spec = {
    "proa.ops.core._dispatch.PackedWeight", sizeof(Packed), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    packed_slots};

const char pack_weight_doc[] =
    "pack_weight($module, w, scale, bias, room, known, strides, begin, end, dilations, by_channel, activation, threads,\n"
    "            team, /)\n--\n\n"
    "A function of x, weight, scale, bias, residual, which is called with those of `known`: activation(conv(x, w * scale)\n"
    "+ bias + residual) of images with a filter [o, c, *window], or [c, 1, *window] `by_channel`; or of x, weight, bias,\n"
    "residual: activation(x @ w + bias + residual) with a matrix [k, n]. `room(size)` gives so many bytes as an array,\n"
    "`threads` is where their number lies in memory, `team` are the addresses of OpenMP's GOMP_parallel,\n"
    "omp_get_thread_num and omp_get_num_threads, or zeros. None for what it does not take.";

PyObject *pack_weight(PyObject *module, PyObject *arguments) {
    PyObject *w, *scale, *bias, *room, *weight, *known_scale, *known_bias;
    Convolution of = {0};
    Py_ssize_t bottom, right;
    int is_by_channel;
    unsigned long long threads, team[3];
    if (!PyArg_ParseTuple(arguments, "OOOO(OOO)(nn)(nn)(nn)(nn)piK(KKK)", &w, &scale, &bias, &room, &weight, &known_scale,
                          &known_bias, &of.down, &of.across, &of.top, &of.left, &bottom, &right, &of.apart_down,
                          &of.apart_across, &is_by_channel, &of.activation, &threads, &team[0], &team[1], &team[2]))
        return NULL;
    int is_matrix = is_plain_array(w) && ((Array *)w)->dimensions_count == 2;
    if (!is_plain_array(w) || ((Array *)w)->dtype != dtypes_by_kind[FLOAT32] || size_of(w) < 1 || !threads ||
        (!is_matrix && ((Array *)w)->dimensions_count != 4) || of.activation < NOTHING || of.activation >= AFTERWARDS ||
        of.down < 1 || of.across < 1 || of.apart_down < 1 || of.apart_across < 1 || of.top < 0 || of.left < 0 ||
        bottom < 0 || right < 0) Py_RETURN_NONE;
    Py_ssize_t *shape = ((Array *)w)->dimensions;
    of.filters = shape[is_matrix ? 1 : 0], of.channels = shape[is_matrix ? 0 : 1];
    of.high = is_matrix ? 1 : shape[2], of.wide = is_matrix ? 1 : shape[3];
    if (of.high * of.wide > MOST_SPOTS) Py_RETURN_NONE;
    if (is_by_channel) {
        if (is_matrix || shape[1] != 1) Py_RETURN_NONE;
        of.channels = of.filters;
    }
    of.images = of.height = of.rows = 1; /* of a matrix, whose rows are windows of one line */
    of.element_step = of.channels;
    int fits = 1;
    const float *factors = is_matrix ? NULL : numbers_of(scale, of.filters, &fits);
    const float *row = numbers_of(bias, of.filters, &fits);
    Py_ssize_t steps = of.high * of.wide * of.channels, panels = size_of_panels(of.filters, steps);
    if (panels && is_by_channel) panels = steps;
    Py_ssize_t whole = whole_filters(of.filters), size = panels + whole + of.channels;
    if (!fits || !panels) Py_RETURN_NONE; /* without vectors there are none */
    PyObject *data = PyObject_CallFunction(room, "n", 4 * size + 64);
    if (!data) return NULL;
    if (!is_plain_array(data) || ((Array *)data)->dtype != dtypes_by_kind[UINT8] || size_of(data) != 4 * size + 64) {
        Py_DECREF(data);
        PyErr_SetString(PyExc_TypeError, "pack_weight: `room` must give so many bytes");
        return NULL;
    }
    if (!packed_type && !(packed_type = (PyTypeObject *)PyType_FromSpec(&packed_spec))) {
        Py_DECREF(data);
        return NULL;
    }
    Packed *packed = PyObject_GC_New(Packed, packed_type);
    if (!packed) {
        Py_DECREF(data);
        return NULL;
    }
    float *begin = (float *)(((uintptr_t)((Array *)data)->data + 63) & ~(uintptr_t)63), *behind = begin + panels;
    memset(behind, 0, (size_t)(whole + of.channels) * sizeof *behind);
    if (row) memcpy(behind, row, (size_t)of.filters * sizeof *row);
    of.bias = behind, of.zeros = behind + whole;
    memset((char *)packed + sizeof(PyObject), 0, sizeof *packed - sizeof(PyObject));
    packed->vectorcall = call_packed;
    packed->weight = Py_NewRef(weight), packed->scale = Py_NewRef(known_scale), packed->bias = Py_NewRef(known_bias);
    packed->data = data, packed->how = of, packed->bottom = bottom, packed->right = right;
    packed->is_matrix = is_matrix, packed->is_by_channel = is_by_channel, packed->panels = begin;
    packed->threads_now = (const int *)(uintptr_t)threads;
    packed->team.parallel = (void (*)(void (*)(void *), void *, unsigned, unsigned))(uintptr_t)team[0];
    packed->team.number = (int (*)(void))(uintptr_t)team[1], packed->team.count = (int (*)(void))(uintptr_t)team[2];
    if (!team[1] || !team[2]) packed->team.parallel = NULL;
    PyObject_GC_Track((PyObject *)packed);
    int count = *packed->threads_now;
    Py_BEGIN_ALLOW_THREADS
    move_weight(packed, (float *)((Array *)w)->data, factors, 0, count);
    Py_END_ALLOW_THREADS
    return (PyObject *)packed;
}

PyObject *has_fast_panels(PyObject *module, PyObject *nothing) { return PyBool_FromLong(have_fast_panels()); }
