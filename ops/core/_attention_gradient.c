/* The gradient of attention by panels (`_turned_product.c`): some queries of a head at a time, whose scores and slopes stay
   in the cache; threads share heads. */
#include "_attention.h"
#include "_turned_product.h"

#if HAS_VECTORS

enum { SCORES = 1 << 15, LEAST_ROWS = 48, FEWEST = 8, ALONE = 1 << 19, LINE = 16 };
/* Scores of a tile; its queries at least; queries for which it is worth bringing keys into panels; multiplications that
   one thread does; numbers of a line of the cache. */

typedef struct {
    const Attention *a;
    Heads g, dq, dk, dv;
    const float *totals;
    int failed;
} Shared;

/* Heads from `begin` to `end`. */
static void some_heads(void *data, Py_ssize_t begin, Py_ssize_t end) {
    Shared *all = data;
    const Attention *a = all->a;
    Py_ssize_t most = least(a->queries, SCORES / a->keys > LEAST_ROWS ? SCORES / a->keys : LEAST_ROWS), tile = most * a->keys;
    float *memory = PyMem_RawMalloc((size_t)(ROOM_OF_PRODUCT + 2 * tile + 2 * LINE) * sizeof *memory);
    if (!memory) {
        __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    float *room = (float *)(((uintptr_t)memory + 63) & ~(uintptr_t)63), *scores = room + ROOM_OF_PRODUCT + LINE, *u = scores + tile;
    for (; begin < end; begin++) {
        Py_ssize_t b = begin / a->heads, h = begin % a->heads;
        const Lying k = {head_of(&a->k, b, h), a->k.steps[2], 0}, v = {head_of(&a->v, b, h), a->v.steps[2], 0};
        const Lying across_k = {k.x, k.apart, 1}, across_v = {v.x, v.apart, 1};
        float *dk = head_of(&all->dk, b, h), *dv = head_of(&all->dv, b, h);
        for (Py_ssize_t first = 0, rows; first < a->queries; first += rows) {
            rows = least(most, a->queries - first);
            Py_ssize_t seen = a->causal ? first + rows : a->keys;
            const Lying q = {head_of(&a->q, b, h) + first * a->q.steps[2], a->q.steps[2], 0};
            const Lying g = {head_of(&all->g, b, h) + first * all->g.steps[2], all->g.steps[2], 0};
            const Lying weights = {scores, seen, 1}, slopes = {u, seen, 0}, across = {u, seen, 1};
            multiply_matrices(scores, seen, &q, &across_k, rows, seen, a->features, 0, room);
            multiply_matrices(u, seen, &g, &across_v, rows, seen, a->wide, 0, room);
            if (a->scale != 1.0f)
                for (Py_ssize_t n = 0; n < rows * seen; n++) scores[n] *= a->scale;
            add_mask(a, b, h, first, rows, seen, scores);
            for (Py_ssize_t row = 0; row < rows; row++) {
                for (Py_ssize_t n = first + row + 1; a->causal && n < seen; n++) scores[row * seen + n] = -INFINITY;
                slope_of_row(scores + row * seen, u + row * seen, seen, all->totals[begin * a->queries + first + row], a->scale);
            }
            /* Keys that no query has seen yet are met for the first time: their sums are not added to anything. */
            Py_ssize_t known = a->causal ? first : first ? a->keys : 0;
            for (int is_new = 0; is_new < 2; is_new++) {
                Py_ssize_t from = is_new ? known : 0, count = is_new ? seen - known : known;
                if (!count) continue;
                const Lying of_values = {weights.x + from, seen, 1}, of_keys = {across.x + from, seen, 1};
                multiply_matrices(dv + from * all->dv.steps[2], all->dv.steps[2], &of_values, &g, count, a->wide, rows, !is_new,
                                  room);
                multiply_matrices(dk + from * all->dk.steps[2], all->dk.steps[2], &of_keys, &q, count, a->features, rows,
                                  !is_new, room);
            }
            multiply_matrices(head_of(&all->dq, b, h) + first * all->dq.steps[2], all->dq.steps[2], &slopes, &k, rows,
                              a->features, seen, 0, room);
        }
    }
    PyMem_RawFree(memory);
}

/* Whether the gradient of the result and the logarithms are what they are of. */
static int are_those(const Attention *a, PyObject *given, const Heads *g) {
    const Array *totals = (const Array *)given;
    const Py_ssize_t expected[RANK] = {a->batch, a->heads, a->queries, a->wide};
    return is_plain_array(given) && !memcmp(g->sizes, expected, sizeof expected) && totals->dtype == dtypes_by_kind[FLOAT32] &&
           totals->dimensions_count == 3 && !memcmp(totals->dimensions, expected, 3 * sizeof *expected);
}

PyObject *attend_gradient(PyObject *module, PyObject *arguments) {
    PyObject *inputs[RANK], *totals, *g, *made[3] = {NULL};
    Attention a;
    if (!PyArg_ParseTuple(arguments, "OOOOOOfp", &inputs[0], &inputs[1], &inputs[2], &inputs[3], &totals, &g, &a.scale,
                          &a.causal)) return NULL;
    Shared all = {.a = &a};
    if (!have_fast_panels() || !read_inputs(inputs, &a) || a.queries < FEWEST || !read_heads(g, &all.g) ||
        !are_those(&a, totals, &all.g)) return declined_form();
    all.totals = (const float *)((Array *)totals)->data;
    for (int n = 0; n < 3; n++) made[n] = room_like(inputs[n], ((Array *)inputs[n])->dimensions);
    int is_taken = made[0] && made[1] && made[2] && read_heads(made[0], &all.dq) && read_heads(made[1], &all.dk) &&
                   read_heads(made[2], &all.dv), ended = 0;
    Py_ssize_t heads = a.batch * a.heads;
    double work = (double)heads * (double)a.queries * (double)a.keys * (double)(3 * a.features + 2 * a.wide);
    if (is_taken) ended = run_parts(some_heads, &all, heads, work < ALONE ? 0 : WORTH_SHARING);
    if (ended == 0 && all.failed) PyErr_NoMemory();
    PyObject *result = PyErr_Occurred() ? NULL : is_taken ? PyTuple_Pack(4, made[0], made[1], made[2], Py_None) : declined_form();
    for (int n = 0; n < 3; n++) Py_XDECREF(made[n]);
    return result;
}

#else
PyObject *attend_gradient(PyObject *module, PyObject *arguments) { return declined_form(); }
#endif

const char attend_gradient_doc[] =
    "attend_gradient($module, q, k, v, mask, totals, g, scale, causal, /)\n--\n\n"
    "The gradients of q, k and v, and None, of what `attend` gives; NotImplemented for what it does not take.";
