/* A convolution, or a product with a matrix, whose weight stays: packed once in panels (`_panels.c`), for inputs of any
   size, as a plan calls it again and again.

   It looks whether it is given what it was made for, and gives None where it is not, or where arrays lie otherwise. */
#include "_packing.h"

enum { FEW_CHANNELS = 4, MOST_AROUND = 1 << 18, MOST_SPOTS = 1 << 10, FEW_COLUMNS = 8, LEAST_ROWS = 8 };
/* Channels up to which images are brought into order here, with their padding; elements that this may add, or else as many
   as there are; elements of a window, for which there is a table; columns of a matrix that are not too few for vectors; rows for which a
   matrix that is read by its rows is brought into panels. */

/* What is multiplied by, and how. */
typedef struct {
    Convolution how;
    Py_ssize_t bottom, right; /* padding; that before stands in `how` */
    Weight by;
    const int *threads_now;
    Team team;
} Product;

/* Whether it is multiplied with the rows of a matrix, not with windows of images. */
static int takes_rows(int kind) { return kind == MATRIX || kind == ROWS; }

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject *weight, *scale, *bias; /* what it is called with: by identity */
    PyObject *data;                  /* what the panels, the bias and zeros lie in */
    Product product;
} Packed;

PyTypeObject *packed_type; /* one interpreter has this module */

static PyObject *unpacked(PyObject *self, PyObject *nothing) {
    Product *product = &((Packed *)self)->product;
    const Convolution *how = &product->how;
    int is_matrix = product->by.kind == MATRIX;
    Py_ssize_t of_matrix[2] = {is_matrix ? how->channels : how->filters, is_matrix ? how->filters : how->channels};
    Py_ssize_t of_filters[4] = {how->filters, product->by.kind == OWN ? 1 : how->channels, how->high, how->wide};
    if (product->by.kind == TURNED) {
        PyErr_SetString(PyExc_TypeError, "unpacked(): filters that were turned round are not turned back");
        return NULL;
    }
    PyObject *result = takes_rows(product->by.kind) ? new_array(FLOAT32, 2, of_matrix) : new_array(FLOAT32, 4, of_filters);
    if (!result) return NULL;
    Weight of = product->by;
    of.weight = (float *)((Array *)result)->data;
    Py_BEGIN_ALLOW_THREADS
    unpack_panels(&of);
    Py_END_ALLOW_THREADS
    return result;
}

int are_images(PyObject *given, Py_ssize_t *steps) {
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
static float *in_order(Convolution *of, const Py_ssize_t *steps, const Product *product, int threads) {
    Py_ssize_t height = of->height + of->top + product->bottom, width = of->width + of->left + product->right;
    Py_ssize_t channels = of->channels, size = of->images * height * width * channels;
    Ordered all = {of, steps, height, width, PyMem_RawMalloc((size_t)size * sizeof(float)), &product->team};
    if (!all.made) return NULL;
    if (threads > 1 && product->team.parallel && size >= 1 << 15)
        product->team.parallel(order_share, &all, (unsigned)threads, 0);
    else order_lines(&all, 0, of->images * height);
    of->x = all.made, of->height = height, of->width = width, of->top = of->left = 0;
    of->element_step = channels, of->line_step = width * channels, of->image_step = height * width * channels;
    of->channels = of->together = of->wide * channels, of->wide = 1;
    return all.made;
}

static int by_weight(const Convolution *of, const Product *product, float *out, int threads) {
    if (take_tiles(of, &product->by)) {
        int ended = multiply_tiles(of, &product->by, out);
        if (ended) return ended > 0;
    }
    return product->by.panels ? multiply_panels(of, &product->by, out, &product->team, threads)
                           : multiply_once(of, &product->by, out, &product->team, threads);
}

/* What `of` reads; `is_brought` where it is brought into order first. 0 for images that lie otherwise or do not fit. */
static int find_images(const Product *product, PyObject *x, const Py_ssize_t *steps, Convolution *of, int *is_brought) {
    Py_ssize_t *sizes = ((Array *)x)->dimensions;
    double whole = (double)(sizes[2] + of->top + product->bottom) * (double)(sizes[3] + of->left + product->right);
    double around = (double)sizes[0] * (whole - (double)sizes[2] * (double)sizes[3]);
    *is_brought = of->channels <= FEW_CHANNELS && product->by.kind != OWN && of->apart_across == 1 && of->wide > 1 &&
                  !of->zeros_down && !of->zeros_across &&
                  (around <= MOST_AROUND || around <= (double)sizes[0] * (double)sizes[2] * (double)sizes[3]);
    if (sizes[1] != of->channels || (!*is_brought && steps[1] != 1 && sizes[1] != 1)) return 0;
    of->images = sizes[0], of->height = sizes[2], of->width = sizes[3];
    of->image_step = steps[0], of->line_step = steps[2], of->element_step = steps[3];
    Py_ssize_t lines = of->height + (of->height - 1) * of->zeros_down;
    Py_ssize_t elements = of->width + (of->width - 1) * of->zeros_across;
    of->rows = lines + of->top + product->bottom - (of->high - 1) * of->apart_down - 1;
    of->columns = elements + of->left + product->right - (of->wide - 1) * of->apart_across - 1;
    if (of->rows < 0 || of->columns < 0) return 0;
    of->rows = of->rows / of->down + 1, of->columns = of->columns / of->across + 1;
    of->x = (const float *)((Array *)x)->data;
    return 1;
}

/* The result of the convolution as `product` has it, in an array of its own; None where images lie otherwise. */
static PyObject *convolved(const Product *product, PyObject *x, PyObject *residual) {
    Convolution of = product->how;
    Py_ssize_t steps[4], others[4];
    int is_brought;
    if (!are_images(x, steps) || !find_images(product, x, steps, &of, &is_brought)) Py_RETURN_NONE;
    Py_ssize_t made[4] = {of.images, of.filters, of.rows, of.columns}, line = of.filters * of.columns;
    Py_ssize_t strides[4] = {4 * line * of.rows, 4, 4 * line, 4 * of.filters};
    if (residual != Py_None) {
        if (!are_images(residual, others) || memcmp(((Array *)residual)->dimensions, made, sizeof made) ||
            memcmp(((Array *)residual)->strides, strides, sizeof strides)) Py_RETURN_NONE;
        of.residual = (const float *)((Array *)residual)->data;
    }
    PyObject *result = new_array_lying(FLOAT32, 4, made, strides);
    if (!result || know_team() < 0) {
        Py_XDECREF(result);
        return NULL;
    }
    int ended = 1, threads = *product->threads_now;
    float *ordered = NULL, *out = (float *)((Array *)result)->data;
    Py_BEGIN_ALLOW_THREADS
    if (is_brought) ended = (ordered = in_order(&of, steps, product, threads)) != NULL;
    if (ended) ended = by_weight(&of, product, out, threads);
    PyMem_RawFree(ordered);
    Py_END_ALLOW_THREADS
    if (ended) return result;
    Py_DECREF(result);
    return PyErr_NoMemory();
}

/* The product of the rows of x [..., k] with the matrix; None where they do not lie one behind the other. */
static PyObject *multiplied(const Product *product, PyObject *x, PyObject *residual) {
    Convolution of = product->how;
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
    int ended, threads = *product->threads_now;
    Py_BEGIN_ALLOW_THREADS
    ended = by_weight(&of, product, (float *)((Array *)result)->data, threads);
    Py_END_ALLOW_THREADS
    if (ended) return result;
    Py_DECREF(result);
    return PyErr_NoMemory();
}

PyObject *call_packed(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
    Packed *packed = (Packed *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flags); /* a matrix has no scale */
    int is_matrix = takes_rows(packed->product.by.kind);
    if (count != (is_matrix ? 4 : 5) || names) {
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
    PyObject *result = is_matrix ? multiplied(&packed->product, x, residual)
                                 : convolved(&packed->product, x, residual);
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

/* The product of a product with `w`; 0 for what is not taken. */
static int find_product(Product *product, int kind, PyObject *w, const Py_ssize_t *windows, int activation,
                     unsigned long long threads, const unsigned long long *team) {
    Convolution of = {.activation = activation, .images = 1, .height = 1, .rows = 1}; /* of a matrix: one line */
    of.down = windows[0], of.across = windows[1], of.top = windows[2], of.left = windows[3];
    of.apart_down = windows[6], of.apart_across = windows[7];
    int is_matrix = takes_rows(kind);
    if (kind < 0 || kind >= WAYS_OF_LYING || !width_of_panels() || !is_plain_array(w) ||
        ((Array *)w)->dtype != dtypes_by_kind[FLOAT32] || size_of(w) < 1 || !threads ||
        ((Array *)w)->dimensions_count != (is_matrix ? 2 : 4) || activation < NOTHING || activation >= AFTERWARDS)
        return 0;
    for (int n = 0; n < 8; n++)
        if (windows[n] < (n < 2 || n > 5)) return 0; /* strides, padding, dilations */
    Py_ssize_t *shape = ((Array *)w)->dimensions;
    int is_across = kind == MATRIX || kind == TURNED;
    of.filters = shape[is_across], of.channels = kind == OWN ? shape[0] : shape[!is_across];
    of.high = is_matrix ? 1 : shape[2], of.wide = is_matrix ? 1 : shape[3];
    if (kind == TURNED) of.zeros_down = of.down - 1, of.zeros_across = of.across - 1, of.down = of.across = 1;
    if (of.high * of.wide > MOST_SPOTS || (kind == OWN && shape[1] != 1)) return 0;
    of.element_step = of.channels;
    of.together = channels_together(of.channels, of.high * of.wide);
    *product = (Product){.how = of, .bottom = windows[4], .right = windows[5]};
    product->by = (Weight){kind, of.filters, of.channels, of.high * of.wide, of.together, (float *)((Array *)w)->data, NULL, NULL, 0};
    product->threads_now = (const int *)(uintptr_t)threads;
    product->team.parallel = (void (*)(void (*)(void *), void *, unsigned, unsigned))(uintptr_t)team[0];
    product->team.number = (int (*)(void))(uintptr_t)team[1], product->team.count = (int (*)(void))(uintptr_t)team[2];
    if (!team[1] || !team[2]) product->team.parallel = NULL;
    return 1;
}

#define WINDOWS_FORMAT "(nn)(nn)(nn)(nn)"
#define PLACES_OF(windows) \
    &windows[0], &windows[1], &windows[2], &windows[3], &windows[4], &windows[5], &windows[6], &windows[7]

const char pack_weight_doc[] =
    "pack_weight($module, w, scale, bias, room, known, kind, strides, begin, end, dilations, activation, threads,\n"
    "            team, /)\n--\n\n"
    "A function of x, weight, scale, bias, residual, which is called with those of `known`: activation(conv(x, w * scale)\n"
    "+ bias + residual) of images with filters of a `kind` (_panels.h) and their windows; or of x, weight, bias,\n"
    "residual: activation(x @ w + bias + residual) with a matrix [k, n]. `room(size)` gives so many bytes as an array,\n"
    "`threads` is where their number lies in memory, `team` are the addresses of OpenMP's GOMP_parallel,\n"
    "omp_get_thread_num and omp_get_num_threads, or zeros. None for what it does not take.";

PyObject *pack_weight(PyObject *module, PyObject *arguments) {
    PyObject *w, *scale, *bias, *room, *weight, *known_scale, *known_bias;
    Py_ssize_t windows[8];
    int kind, activation, fits = 1;
    unsigned long long threads, team[3];
    Product product;
    if (!PyArg_ParseTuple(arguments, "OOOO(OOO)i" WINDOWS_FORMAT "iK(KKK)", &w, &scale, &bias, &room, &weight, &known_scale,
                          &known_bias, &kind, PLACES_OF(windows), &activation, &threads, &team[0], &team[1], &team[2]))
        return NULL;
    if (!find_product(&product, kind, w, windows, activation, threads, team)) Py_RETURN_NONE;
    Convolution *of = &product.how;
    product.by.factors = takes_rows(kind) ? NULL : numbers_of(scale, of->filters, &fits);
    const float *row = numbers_of(bias, of->filters, &fits);
    if (!fits) Py_RETURN_NONE;
    Py_ssize_t whole = whole_filters(of->filters), steps = of->high * of->wide * of->channels;
    Py_ssize_t panels = kind == OWN ? steps : whole * steps, size = panels + whole + of->channels;
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
    memset(behind, 0, (size_t)(whole + of->channels) * sizeof *behind);
    if (row) memcpy(behind, row, (size_t)of->filters * sizeof *row);
    of->bias = behind, of->zeros = behind + whole;
    product.by.panels = begin;
    memset((char *)packed + sizeof(PyObject), 0, sizeof *packed - sizeof(PyObject));
    packed->vectorcall = call_packed;
    packed->weight = Py_NewRef(weight), packed->scale = Py_NewRef(known_scale), packed->bias = Py_NewRef(known_bias);
    packed->data = data, packed->product = product;
    PyObject_GC_Track((PyObject *)packed);
    int ended, count = *product.threads_now;
    Py_BEGIN_ALLOW_THREADS
    ended = pack_panels(&product.by, &product.team, count);
    Py_END_ALLOW_THREADS
    packed->product.by.weight = NULL, packed->product.by.factors = NULL; /* they are read no more */
    if (ended) return (PyObject *)packed;
    Py_DECREF(packed);
    return PyErr_NoMemory();
}

const char multiply_weight_doc[] =
    "multiply_weight($module, x, w, scale, bias, residual, kind, strides, begin, end, dilations, activation, threads,\n"
    "                team, /)\n--\n\n"
    "What pack_weight's function gives of `x`, for a weight that is not kept: the same bits. None for what it does not\n"
    "take.";

PyObject *multiply_weight(PyObject *module, PyObject *arguments) {
    PyObject *x, *w, *scale, *bias, *residual;
    Py_ssize_t windows[8];
    int kind, activation, fits = 1;
    unsigned long long threads, team[3];
    Product product;
    if (!PyArg_ParseTuple(arguments, "OOOOOi" WINDOWS_FORMAT "iK(KKK)", &x, &w, &scale, &bias, &residual, &kind,
                          PLACES_OF(windows), &activation, &threads, &team[0], &team[1], &team[2])) return NULL;
    if (!find_product(&product, kind, w, windows, activation, threads, team)) Py_RETURN_NONE;
    Convolution *of = &product.how;
    product.by.factors = takes_rows(kind) ? NULL : numbers_of(scale, of->filters, &fits);
    const float *row = numbers_of(bias, of->filters, &fits);
    if (!fits) Py_RETURN_NONE;
    Py_ssize_t whole = whole_filters(of->filters);
    float *behind = PyMem_RawCalloc((size_t)(whole + of->channels), sizeof *behind);
    if (!behind) return PyErr_NoMemory();
    if (row) memcpy(behind, row, (size_t)of->filters * sizeof *row);
    of->bias = behind, of->zeros = behind + whole;
    PyObject *result = takes_rows(kind) ? multiplied(&product, x, residual) : convolved(&product, x, residual);
    PyMem_RawFree(behind);
    return result;
}

static struct {
    PyObject *find; /* gives what `pack_weight` gave for a matrix, or None */
    unsigned long long threads, team[3];
} kept;

const char serve_panels_doc[] =
    "serve_panels($module, find, threads, team, /)\n--\n\n"
    "Takes what finds the panels that are kept for a matrix, None where products are not to be computed by them, and where\n"
    "the number of threads and OpenMP's functions are, as pack_weight takes them.";

PyObject *serve_panels(PyObject *module, PyObject *arguments) {
    PyObject *find;
    unsigned long long threads, team[3];
    if (!PyArg_ParseTuple(arguments, "OK(KKK)", &find, &threads, &team[0], &team[1], &team[2])) return NULL;
    Py_XSETREF(kept.find, find == Py_None ? NULL : Py_NewRef(find));
    kept.threads = threads;
    memcpy(kept.team, team, sizeof team);
    Py_RETURN_NONE;
}

int are_panels_offered(void) { return kept.find != NULL; }

int product_by_panels(PyObject *x, PyObject *w, int turns, PyObject **result) {
    static const Py_ssize_t windows[8] = {1, 1, 0, 0, 0, 0, 1, 1};
    Product product;
    if (!kept.find || !is_plain_array(w) || ((Array *)w)->dimensions[!turns] < FEW_COLUMNS ||
        (turns && size_of(x) < LEAST_ROWS * ((Array *)w)->dimensions[1]) ||
        !find_product(&product, turns ? ROWS : MATRIX, w, windows, NOTHING, kept.threads, kept.team))
        return 0;
    PyObject *packed = turns ? Py_NewRef(Py_None) : PyObject_CallOneArg(kept.find, w), *made;
    if (!packed) return -1;
    if (packed != Py_None) {
        PyObject *arguments[4] = {x, w, Py_None, Py_None};
        made = PyObject_Vectorcall(packed, arguments, 4, NULL);
    } else {
        Convolution *of = &product.how;
        float *zeros = PyMem_RawCalloc((size_t)(whole_filters(of->filters) + of->channels), sizeof *zeros);
        of->bias = of->zeros = zeros;
        made = zeros ? multiplied(&product, x, Py_None) : PyErr_NoMemory();
        PyMem_RawFree(zeros);
    }
    Py_DECREF(packed);
    if (!made) return -1;
    if (made != Py_None) {
        *result = made;
        return 1;
    }
    Py_DECREF(made);
    return 0;
}

PyObject *has_fast_panels(PyObject *module, PyObject *nothing) { return PyBool_FromLong(have_fast_panels()); }
