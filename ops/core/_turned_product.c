/* Products of a turned matrix with another, xᵀ·y, as gradients of weights are: sums over the rows of both.

   Of some rows at a time columns of x are brought together by sixes, and those of y by panels, so that both are read from
   their beginning to their end. The sums of a six and a panel stay in the registers, and are added up in the result: a sum
   over thousands of rows is rounded less so. Threads share columns, so that sums are the same on any number of them. */
#include "_turned_product.h"

#include "_packing.h"

#include <stdlib.h>

#if HAS_TWO_WAYS

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

enum { SIX = 6, TOGETHER = 8, MOST_WIDE = 64, AT_ONCE = 768, DEPTH = DEPTH_OF_PRODUCT, WORTH = 1 << 20, LINE = 16, DEEP = 16, MOST_ROWS = 2048 };
/* Columns of x, and sixes that are brought over together; numbers of a panel's row, at most; columns of x that stay in the
   cache; rows whose columns do; multiplications that are worth a second thread; numbers of a line of the cache; as how many rows, and how many for each
   column, are more than it is worth to bring all of them over for. */
typedef float Sixteen __attribute__((vector_size(64)));

/* The sums of six rows and a panel, to rows `step` apart: added to what is there, or in its place. The rows stand `down`
   apart, and the numbers of each `across`. */
typedef void (*Sum)(const float *x, Py_ssize_t down, Py_ssize_t across, const float *y, Py_ssize_t depth, float *to,
                    Py_ssize_t step, int is_added);

#define SUM(TARGET, NAME, VECTOR, LANES, PARTS) \
    __attribute__((target(TARGET))) static void NAME(const float *x, Py_ssize_t down, Py_ssize_t across, const float *y, \
                                                     Py_ssize_t depth, float *to, Py_ssize_t step, int is_added) { \
        VECTOR sums[SIX][PARTS], w[PARTS]; \
        ALL for (int r = 0; r < SIX; r++) \
            ALL for (int p = 0; p < PARTS; p++) { \
                __builtin_prefetch(to + r * step + p * LANES, 1, 3); \
                sums[r][p] = (VECTOR){0}; \
            } \
        for (; depth > 0; depth--, x += across, y += PARTS * LANES) { \
            ALL for (int p = 0; p < PARTS; p++) memcpy(&w[p], y + p * LANES, sizeof w[0]); \
            ALL for (int r = 0; r < SIX; r++) \
                ALL for (int p = 0; p < PARTS; p++) sums[r][p] += x[r * down] * w[p]; \
        } \
        ALL for (int r = 0; r < SIX; r++, to += step) \
            ALL for (int p = 0; p < PARTS; p++) { \
                if (is_added) { \
                    memcpy(&w[p], to + p * LANES, sizeof w[0]); \
                    sums[r][p] += w[p]; \
                } \
                memcpy(to + p * LANES, &sums[r][p], sizeof w[0]); \
            } \
    }
SUM("avx2,fma", eight_1, Floats, 8, 1)
SUM("avx2,fma", eight_2, Floats, 8, 2)
SUM("avx512f", sixteen_1, Sixteen, 16, 1)
SUM("avx512f", sixteen_2, Sixteen, 16, 2)
SUM("avx512f", sixteen_3, Sixteen, 16, 3)
SUM("avx512f", sixteen_4, Sixteen, 16, 4)

/* How a processor does it: the numbers of a vector and of a panel's row, and what sums up for so many vectors. */
typedef struct {
    Py_ssize_t lanes, width;
    Sum sums[MOST_WIDE / 16 + 1];
} Way;

static const Way *way(void) {
    static const Way eights = {8, 16, {NULL, eight_1, eight_2}};
    static const Way sixteens = {16, MOST_WIDE, {NULL, sixteen_1, sixteen_2, sixteen_3, sixteen_4}};
    return width_of_panels() == MOST_WIDE ? &sixteens : &eights;
}

typedef struct {
    const float *x, *y;
    Py_ssize_t apart_x, apart_y; /* from row to row */
    Py_ssize_t rows, high, wide; /* of both; columns of x, and of y */
    const Way *how;
    int shares_panels;           /* among threads, or sixes */
    float *out;
    int failed;
} Turned;

/* Columns of x from `begin` to `end`, of some rows, by sixes. */
static void bring_sixes(const float *x, Py_ssize_t apart, Py_ssize_t rows, Py_ssize_t begin, Py_ssize_t end, float *to) {
    Py_ssize_t whole = (end - begin) / SIX * SIX, left = end - begin - whole;
    for (Py_ssize_t first = 0; first < whole; first += TOGETHER * SIX) {
        Py_ssize_t behind = least(first + TOGETHER * SIX, whole);
        const float *from = x + begin;
        for (Py_ssize_t r = 0; r < rows; r++, from += apart)
            for (Py_ssize_t c = first; c < behind; c += SIX) memcpy(to + c * rows + r * SIX, from + c, SIX * sizeof *to);
    }
    for (Py_ssize_t r = 0; r < rows && left; r++) {
        float *at = to + whole * rows + r * SIX;
        for (Py_ssize_t c = 0; c < SIX; c++) at[c] = c < left ? x[r * apart + begin + whole + c] : 0.0f;
    }
}

/* Columns of y, `wide` of them, of some rows: of a panel, whose last vector is filled up. */
static void bring_panel(const float *y, Py_ssize_t apart, Py_ssize_t rows, Py_ssize_t wide, Py_ssize_t width, float *to) {
    for (Py_ssize_t r = 0; r < rows; r++, y += apart, to += width) {
        memcpy(to, y, (size_t)wide * sizeof *to);
        for (Py_ssize_t c = wide; c < width; c++) to[c] = 0.0f;
    }
}

/* Sums of which not all belong to the result, to where it is. */
static void put_edge(const float *sums, Py_ssize_t width, float *to, Py_ssize_t step, Py_ssize_t high, Py_ssize_t wide,
                     int is_added) {
    for (Py_ssize_t r = 0; r < high; r++, to += step, sums += width)
        for (Py_ssize_t c = 0; c < wide; c++) to[c] = is_added ? to[c] + sums[c] : sums[c];
}

static void some_columns(void *data, Py_ssize_t begin, Py_ssize_t end) {
    Turned *all = data;
    const Way *how = all->how;
    Py_ssize_t step = all->wide, parts = (all->rows + DEPTH - 1) / DEPTH, most = least(all->rows, DEPTH);
    Py_ssize_t high = all->shares_panels ? 0 : begin * SIX, below = all->shares_panels ? all->high : least(end * SIX, all->high);
    Py_ssize_t left = all->shares_panels ? begin * how->width : 0;
    Py_ssize_t right = all->shares_panels ? least(end * how->width, all->wide) : all->wide;
    Py_ssize_t of_sixes = least(AT_ONCE, below - high + SIX) * most, of_panel = MOST_WIDE * most;
    float *room = PyMem_RawMalloc((size_t)(of_sixes + of_panel + SIX * MOST_WIDE + LINE) * sizeof *room);
    if (!room) {
        __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    float *panel = (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63), *edge = panel + of_panel;
    float *sixes = edge + SIX * MOST_WIDE;
    for (Py_ssize_t part = 0; part < parts; part++) {
        Py_ssize_t row = all->rows * part / parts, depth = all->rows * (part + 1) / parts - row;
        const float *x = all->x + row * all->apart_x, *y = all->y + row * all->apart_y;
        for (Py_ssize_t first = high; first < below; first += AT_ONCE) {
            Py_ssize_t last = least(first + AT_ONCE, below);
            bring_sixes(x, all->apart_x, depth, first, last, sixes);
            for (Py_ssize_t c = left; c < right; c += how->width) {
                Py_ssize_t wide = least(how->width, right - c), vectors = (wide + how->lanes - 1) / how->lanes;
                Py_ssize_t width = vectors * how->lanes;
                bring_panel(y + c, all->apart_y, depth, wide, width, panel);
                for (Py_ssize_t r = first; r < last; r += SIX) {
                    float *to = all->out + r * step + c;
                    const float *six = sixes + (r - first) * depth;
                    if (wide == width && r + SIX <= last) how->sums[vectors](six, 1, SIX, panel, depth, to, step, part > 0);
                    else {
                        how->sums[vectors](six, 1, SIX, panel, depth, edge, width, 0);
                        put_edge(edge, width, to, step, least(SIX, last - r), wide, part > 0);
                    }
                }
            }
        }
    }
    PyMem_RawFree(room);
}

/* Columns of yᵀ, of which y has the rows. */
static void turn_panel(const float *y, Py_ssize_t apart, Py_ssize_t depth, Py_ssize_t wide, Py_ssize_t width, float *to) {
    turn_rows(y, apart, wide, depth, to, width);
    for (Py_ssize_t r = 0; r < depth && wide < width; r++)
        for (Py_ssize_t c = wide; c < width; c++) to[r * width + c] = 0.0f;
}

void multiply_matrices(float *out, Py_ssize_t step, const Lying *x, const Lying *y, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
                       int is_added, float *room) {
    const Way *how = way();
    float *panel = room, *six = panel + MOST_WIDE * DEPTH, *edge = six + SIX * DEPTH;
    Py_ssize_t down = x->turns ? 1 : x->apart, across = x->turns ? x->apart : 1;
    for (Py_ssize_t done = 0, depth; done < k; done += depth, is_added = 1) {
        depth = least(DEPTH, k - done);
        const float *left = x->x + done * across;
        for (Py_ssize_t c = 0; c < n; c += how->width) {
            Py_ssize_t wide = least(how->width, n - c), vectors = (wide + how->lanes - 1) / how->lanes;
            Py_ssize_t width = vectors * how->lanes, r = 0;
            if (y->turns) turn_panel(y->x + c * y->apart + done, y->apart, depth, wide, width, panel);
            else bring_panel(y->x + done * y->apart + c, y->apart, depth, wide, width, panel);
            Sum sum = how->sums[vectors];
            for (; r + SIX <= m; r += SIX) {
                float *to = out + r * step + c;
                if (wide == width) sum(left + r * down, down, across, panel, depth, to, step, is_added);
                else {
                    sum(left + r * down, down, across, panel, depth, edge, width, 0);
                    put_edge(edge, width, to, step, SIX, wide, is_added);
                }
            }
            if (r == m) continue;
            for (Py_ssize_t d = 0; d < depth; d++)
                for (Py_ssize_t i = 0; i < SIX; i++) six[d * SIX + i] = r + i < m ? left[(r + i) * down + d * across] : 0.0f;
            sum(six, 1, SIX, panel, depth, edge, width, 0);
            put_edge(edge, width, out + r * step + c, step, m - r, wide, is_added);
        }
    }
}

/* Whether it is a matrix of float32 with elements, whose rows' lie side by side; how far apart these begin. */
static int find_rows(PyObject *given, Py_ssize_t *apart) {
    const Array *x = (const Array *)given;
    if (Py_TYPE(given) != array_type || x->dimensions_count != 2 || x->dtype != dtypes_by_kind[FLOAT32] ||
        !(x->flags & ALIGNED) || size_of(given) < 1) return 0;
    Py_ssize_t size = (Py_ssize_t)sizeof(float), columns = x->dimensions[1];
    *apart = x->strides[0] / size;
    return (x->strides[1] == size || columns == 1) && (x->dimensions[0] == 1 || (x->strides[0] % size == 0 && *apart >= columns));
}

PyObject *turned_product_of(PyObject *x, PyObject *y) {
    Turned all = {0};
    if (!have_fast_panels() || !find_rows(x, &all.apart_x) || !find_rows(y, &all.apart_y) ||
        ((Array *)x)->dimensions[0] != ((Array *)y)->dimensions[0]) return declined_form();
    all.rows = ((Array *)x)->dimensions[0], all.high = ((Array *)x)->dimensions[1], all.wide = ((Array *)y)->dimensions[1];
    if (all.rows > MOST_ROWS && all.rows > DEEP * (all.high + all.wide)) return declined_form();
    all.how = way();
    PyObject *result = new_array(FLOAT32, 2, (Py_ssize_t[]){all.high, all.wide});
    if (!result) return NULL;
    all.x = (const float *)((Array *)x)->data, all.y = (const float *)((Array *)y)->data;
    all.out = (float *)((Array *)result)->data;
    all.shares_panels = all.wide > 2 * all.high;
    Py_ssize_t count = all.shares_panels ? (all.wide + all.how->width - 1) / all.how->width : (all.high + SIX - 1) / SIX;
    double work = (double)all.rows * (double)all.high * (double)all.wide;
    int ended = run_parts(some_columns, &all, count, work < WORTH ? 0 : WORTH_SHARING);
    if (ended == 0 && !all.failed) return result;
    Py_DECREF(result);
    return ended < 0 && PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

#else
void multiply_matrices(float *out, Py_ssize_t step, const Lying *x, const Lying *y, Py_ssize_t m, Py_ssize_t n, Py_ssize_t k,
                       int is_added, float *room) {}
PyObject *turned_product_of(PyObject *x, PyObject *y) { return declined_form(); }
#endif

const char turned_product_doc[] =
    "turned_product($module, x, y, /)\n--\n\n"
    "xᵀ·y of matrices of float32 that lie by rows; NotImplemented for what it does not take.";

PyObject *turned_product(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (count == 2) return turned_product_of(arguments[0], arguments[1]);
    PyErr_SetString(PyExc_TypeError, "turned_product: takes two matrices");
    return NULL;
}
