/* Attention by panels (`_panels.c`): some queries of a head at a time, whose scores stay in the cache. */
#include "_attention.h"
#include "_packing.h"

enum { SCORES = 1 << 15, FEWEST = 8, LEAST_ROWS = 16, MOST_ROWS = 192, FEW = 4, ALONE = 1 << 19, LINE = 16 };
/* Scores of a tile; queries for which it is worth bringing keys into panels; queries of a tile, at least and at most; heads
   for each thread with which their number need not divide; multiplications that one thread does; numbers of a line of the
   cache. */

typedef struct {
    const Attention *a;
    Heads out;
    float *totals;
    Py_ssize_t rows, tiles; /* queries of a tile, tiles of a head */
    const Team *team;
    int failed, odd; /* without memory; with numbers that are none, or without end */
} Shared;

/* Rows of numbers, as a convolution reads them: `rows` of them, `step` apart, of `channels` numbers, for `filters`. */
static Convolution rows_of(const float *x, Py_ssize_t rows, Py_ssize_t step, Py_ssize_t channels, Py_ssize_t filters,
                           Py_ssize_t together, const float *zeros) {
    return (Convolution){.images = 1, .height = 1, .width = rows, .channels = channels, .element_step = step, .filters = filters,
                         .high = 1, .wide = 1, .rows = 1, .columns = rows, .down = 1, .across = 1, .apart_down = 1,
                         .apart_across = 1, .x = x, .bias = zeros, .zeros = zeros, .together = together};
}

static int softmax(const float *x, float *out, double *logsums, Py_ssize_t rows, Py_ssize_t count) {
    return (count < LEAST_OF_SOFTMAX ? short_rows : softmax_rows)(x, out, logsums, rows, count);
}

/* Of the keys up to the query's own, which is `first` of the first row. */
static int softmax_of_seen(const float *x, float *out, double *logsums, Py_ssize_t rows, Py_ssize_t keys, Py_ssize_t first) {
    int fits = 1;
    for (Py_ssize_t row = 0; row < rows && fits; row++, x += keys, out += keys) {
        Py_ssize_t count = first + row + 1;
        fits = softmax(x, out, logsums + row, 1, count);
        memset(out + count, 0, (size_t)(keys - count) * sizeof *out);
    }
    return fits;
}

/* The tiles from `from` to `to`, counted head by head. */
static void attend(Shared *all, Py_ssize_t from, Py_ssize_t to) {
    const Attention *a = all->a;
    Py_ssize_t width = width_of_panels(), whole = whole_filters(a->keys), behind = whole_filters(a->wide);
    Py_ssize_t of_keys = whole * a->features, of_values = behind * a->keys, scores = all->rows * a->keys, head = -1;
    Py_ssize_t zeros = whole + behind + a->features; /* as many as filters and channels are, at most */
    float *room = PyMem_RawMalloc((size_t)(of_keys + of_values + 2 * scores + all->rows * a->wide + zeros + whole + LINE) *
                                  sizeof *room);
    double *logsums = PyMem_RawMalloc((size_t)all->rows * sizeof *logsums);
    int ended = room && logsums, fits = 1;
    const Team alone = {NULL, NULL, NULL};
    Weight keys = {FILTERS, a->keys, a->features, 1, channels_together(a->features, 1), NULL, NULL, NULL, a->k.steps[2]};
    Weight values = {MATRIX, a->wide, a->keys, 1, channels_together(a->keys, 1), NULL, NULL, NULL, a->v.steps[2]};
    float *x = NULL, *weights = NULL, *result = NULL, *none = NULL;
    if (ended) {
        keys.panels = (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63), values.panels = keys.panels + of_keys;
        x = values.panels + of_values, weights = x + scores, result = weights + scores, none = result + all->rows * a->wide;
        float *factors = none + zeros;
        memset(none, 0, (size_t)zeros * sizeof *none);
        for (Py_ssize_t n = 0; n < whole; n++) factors[n] = a->scale;
        keys.factors = factors;
    }
    for (; from < to && ended && fits; from++) {
        Py_ssize_t b = from / all->tiles / a->heads, h = from / all->tiles % a->heads, first = from % all->tiles * all->rows;
        Py_ssize_t rows = least(a->queries - first, all->rows), seen = a->keys;
        if (head != from / all->tiles) {
            head = from / all->tiles;
            keys.weight = head_of(&a->k, b, h), values.weight = head_of(&a->v, b, h);
            ended = pack_panels(&keys, &alone, 1) && pack_panels(&values, &alone, 1);
        }
        if (a->causal) seen = least((first + rows + width - 1) / width * width, a->keys); /* whole panels of keys */
        const float *q = head_of(&a->q, b, h) + first * a->q.steps[2];
        Convolution product = rows_of(q, rows, a->q.steps[2], a->features, seen, keys.together, none);
        ended = ended && multiply_panels(&product, &keys, x, &alone, 1);
        if (!ended) break;
        add_mask(a, b, h, first, rows, seen, x);
        fits = a->causal ? softmax_of_seen(x, weights, logsums, rows, seen, first) : softmax(x, weights, logsums, rows, seen);
        product = rows_of(weights, rows, seen, seen, a->wide, values.together, none);
        ended = multiply_panels(&product, &values, result, &alone, 1);
        float *target = head_of(&all->out, b, h) + first * all->out.steps[2], *total = all->totals + head * a->queries + first;
        for (Py_ssize_t row = 0; row < rows; row++, target += all->out.steps[2]) {
            memcpy(target, result + row * a->wide, (size_t)a->wide * sizeof *target);
            total[row] = (float)logsums[row];
        }
    }
    PyMem_RawFree(logsums);
    PyMem_RawFree(room);
    if (!ended) all->failed = 1;
    if (!fits) all->odd = 1;
}

static void share(void *data) {
    Shared *all = data;
    Py_ssize_t units = all->a->batch * all->a->heads * all->tiles, number = all->team->number(), threads = all->team->count();
    attend(all, units * number / threads, units * (number + 1) / threads);
}

const char attend_doc[] =
    "attend($module, q, k, v, mask, scale, causal, threads, team, /)\n--\n\n"
    "softmax(scale * q · kᵀ + mask) · v and the logarithms of the sums; `threads` and `team` as at pack_weight. None for what\n"
    "it does not take: arrays of another kind, a few queries, and rows whose sum is not a finite number.";

PyObject *attend_by_panels(PyObject *module, PyObject *arguments) {
    PyObject *inputs[RANK];
    Attention a;
    unsigned long long at, given[3];
    if (!PyArg_ParseTuple(arguments, "OOOOfpK(KKK)", &inputs[0], &inputs[1], &inputs[2], &inputs[3], &a.scale, &a.causal, &at,
                          &given[0], &given[1], &given[2])) return NULL;
    if (!at || !width_of_panels() || !read_inputs(inputs, &a) || a.queries < FEWEST) Py_RETURN_NONE;
    Team team = {(void (*)(void (*)(void *), void *, unsigned, unsigned))(uintptr_t)given[0], (int (*)(void))(uintptr_t)given[1],
                 (int (*)(void))(uintptr_t)given[2]};
    Py_ssize_t sizes[RANK] = {a.batch, a.heads, a.queries, a.wide}, heads = a.batch * a.heads;
    PyObject *out = room_like(inputs[0], sizes), *totals = out ? new_array(FLOAT32, 3, sizes) : NULL;
    if (!totals) {
        int failed = PyErr_Occurred() != NULL;
        Py_XDECREF(out);
        if (failed) return NULL;
        Py_RETURN_NONE;
    }
    int threads = *(const int *)(uintptr_t)at;
    double work = (double)heads * (double)a.queries * (double)a.keys * (double)(a.features + a.wide);
    if (!team.parallel || !team.number || !team.count || work < ALONE) threads = 1;
    Py_ssize_t rows = least(SCORES / a.keys, MOST_ROWS);
    if (threads > 1 && heads % threads && heads < FEW * threads) rows = least(rows, (a.queries + threads - 1) / threads);
    rows = least(rows < LEAST_ROWS ? LEAST_ROWS : rows, a.queries);
    Shared all = {&a, {NULL}, (float *)((Array *)totals)->data, rows, (a.queries + rows - 1) / rows, &team, 0, 0};
    int is_taken = read_heads(out, &all.out);
    Py_BEGIN_ALLOW_THREADS
    if (is_taken && threads > 1) team.parallel(share, &all, (unsigned)threads, 0);
    else if (is_taken) attend(&all, 0, heads * all.tiles);
    Py_END_ALLOW_THREADS
    PyObject *result = is_taken && !all.failed && !all.odd ? PyTuple_Pack(2, out, totals) : NULL;
    Py_DECREF(out);
    Py_DECREF(totals);
    if (all.failed) return PyErr_NoMemory();
    if (!result && !PyErr_Occurred()) Py_RETURN_NONE;
    return result;
}
