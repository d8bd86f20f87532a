/* Elementwise functions of two arrays that lie, and broadcast, in any way in which each row of neighbours in the result
   takes a row or one number of either operand: parts of arrays, channels behind or before others, factors for each row.

   Dimensions that all lie one in the other become one. The result lies as the operand of its shape does, so that
   channels-last stays channels-last. Short rows that are taken again and again are repeated first. */
#include "_broadcast.h"

#include "_team.h"

enum { MOST_LEVELS = 8, SHORT = 512, REPEATED = 8192 /* bytes */, PART = 1 << 14 /* elements of a row at a time */ };

typedef struct {
    BinaryLoop loop;
    const char *x, *y;
    char *out;
    int levels, step_x, step_y;
    Py_ssize_t sizes[MOST_LEVELS], ahead_x[MOST_LEVELS], ahead_y[MOST_LEVELS]; /* outside of a row, in bytes */
    Py_ssize_t width, parts, item, item_out;                                   /* of a row: elements, and parts */
    Py_ssize_t times; /* how often a row of one operand is repeated, 1: it is not; the last level then counts such blocks */
    Py_ssize_t rows;  /* of the last level, where rows are repeated */
    int of_x;         /* whether they are those of x */
} Spread;

typedef struct {
    Py_ssize_t size, x, y, out; /* steps in bytes */
} Level;

static void one_row(const Spread *all, const char *x, const char *y, char *out, Py_ssize_t begin, Py_ssize_t end) {
    all->loop(x + begin * all->item * all->step_x, y + begin * all->item * all->step_y, out + begin * all->item_out,
              end - begin, all->step_x, all->step_y);
}

typedef struct {
    const char *of; /* the row that is there */
    char rows[REPEATED];
} Repeated;

/* Several rows of one operand, all beside the same row of the other. */
static void same_rows(const Spread *all, const char *x, const char *y, char *out, Py_ssize_t count, Repeated *repeated) {
    const char *row = all->of_x ? x : y;
    Py_ssize_t bytes = all->width * all->item;
    if (repeated->of != row)
        for (Py_ssize_t k = 0; k < all->times; k++) memcpy(repeated->rows + k * bytes, row, bytes);
    repeated->of = row;
    all->loop(all->of_x ? repeated->rows : x, all->of_x ? y : repeated->rows, out, count * all->width, 1, 1);
}

/* Some of the parts of all rows. */
static void some_parts(void *of, Py_ssize_t begin, Py_ssize_t end) {
    Spread *all = of;
    Py_ssize_t at[MOST_LEVELS], row = begin / all->parts, part = begin % all->parts, left = row;
    int inner = all->levels - 1;
    const char *x = all->x, *y = all->y;
    Repeated repeated = {.of = NULL};
    for (int n = inner; n >= 0; n--) {
        at[n] = left % all->sizes[n], left /= all->sizes[n];
        x += at[n] * all->ahead_x[n], y += at[n] * all->ahead_y[n];
    }
    if (all->times > 1) row = row / all->sizes[inner] * all->rows + at[inner] * all->times;
    char *out = all->out + row * all->width * all->item_out;
    for (Py_ssize_t n = begin; n < end; n++) {
        Py_ssize_t count = 1;
        if (all->times > 1) {
            count = all->rows - at[inner] * all->times; /* the last block may be shorter */
            if (count > all->times) count = all->times;
            same_rows(all, x, y, out, count, &repeated);
        } else one_row(all, x, y, out, all->width * part / all->parts, all->width * (part + 1) / all->parts);
        if (++part < all->parts) continue;
        part = 0;
        out += count * all->width * all->item_out;
        for (int level = inner; level >= 0; level--) {
            x += all->ahead_x[level], y += all->ahead_y[level];
            if (++at[level] < all->sizes[level]) break;
            x -= all->sizes[level] * all->ahead_x[level], y -= all->sizes[level] * all->ahead_y[level];
            at[level] = 0;
        }
    }
}

/* The steps of an operand along the dimensions of the result, 0 where it is repeated; 0 where it does not fit. */
static int steps_along(const Array *x, int rank, const Py_ssize_t *sizes, Py_ssize_t *steps) {
    int more = rank - x->dimensions_count;
    for (int n = 0; n < rank; n++) {
        Py_ssize_t size = n < more ? 1 : x->dimensions[n - more];
        if (size != sizes[n] && size != 1) return 0;
        steps[n] = size == 1 ? 0 : x->strides[n - more];
        if (steps[n] < 0) return 0;
    }
    return 1;
}

/* Whether an operand has an element of its own for each of the result's. */
static int is_whole(int rank, const Py_ssize_t *sizes, const Py_ssize_t *steps) {
    for (int n = 0; n < rank; n++)
        if (sizes[n] > 1 && !steps[n]) return 0;
    return 1;
}

/* Puts the dimensions in the order in which an operand has them, the one with the largest steps first. */
static void put_in_order(int rank, const Py_ssize_t *steps, int *order) {
    for (int n = 1; n < rank; n++)
        for (int m = n; m > 0 && steps[order[m]] > steps[order[m - 1]]; m--) {
            int other = order[m];
            order[m] = order[m - 1], order[m - 1] = other;
        }
}

PyObject *two_spread(BinaryLoop loop, int kind, int kind_out, PyObject *one, PyObject *other, const char *number) {
    Array *x = (Array *)one, *y = (Array *)other, nothing = {.dimensions_count = 0};
    if (Py_TYPE(one) != array_type || !(x->flags & ALIGNED)) return declined_form();
    if (!y) y = &nothing;
    else if (Py_TYPE(other) != array_type || x->dtype != y->dtype || !(y->flags & ALIGNED)) return declined_form();
    int rank = x->dimensions_count > y->dimensions_count ? x->dimensions_count : y->dimensions_count, order[MOST_DIMENSIONS];
    Py_ssize_t sizes[MOST_DIMENSIONS], of_x[MOST_DIMENSIONS], of_y[MOST_DIMENSIONS], strides[MOST_DIMENSIONS], size = 1;
    if (rank < 1 || rank > MOST_DIMENSIONS) return declined_form();
    for (int n = 0; n < rank; n++) {
        int in_x = n - rank + x->dimensions_count, in_y = n - rank + y->dimensions_count;
        Py_ssize_t here = in_x < 0 ? 1 : x->dimensions[in_x], there = in_y < 0 ? 1 : y->dimensions[in_y];
        sizes[n] = here == 1 ? there : here;
        if (sizes[n] < 1 || size > PY_SSIZE_T_MAX / 16 / sizes[n]) return declined_form();
        size *= sizes[n];
        order[n] = n;
    }
    if (!steps_along(x, rank, sizes, of_x) || !steps_along(y, rank, sizes, of_y)) return declined_form();
    if (is_whole(rank, sizes, of_x)) put_in_order(rank, of_x, order);
    else if (is_whole(rank, sizes, of_y)) put_in_order(rank, of_y, order);
    Spread all = {.loop = loop, .item = sizes_by_kind[kind], .item_out = sizes_by_kind[kind_out],
                  .x = x->data, .y = other ? y->data : number, .times = 1, .parts = 1};
    Level levels[MOST_DIMENSIONS];
    int count = 0;
    for (int n = 0; n < rank; n++) { /* from the outermost to the innermost */
        int d = order[n];
        if (sizes[d] == 1) continue;
        Level *last = count ? &levels[count - 1] : NULL;
        if (last && last->x == of_x[d] * sizes[d] && last->y == of_y[d] * sizes[d])
            last->size *= sizes[d], last->x = of_x[d], last->y = of_y[d];
        else levels[count++] = (Level){sizes[d], of_x[d], of_y[d], 0};
    }
    if (!count) levels[count++] = (Level){1, all.item, all.item, 0};
    Level row = levels[--count];
    if (count > MOST_LEVELS || (row.x && row.x != all.item) || (row.y && row.y != all.item) || (!row.x && !row.y))
        return declined_form();
    all.width = row.size, all.step_x = row.x != 0, all.step_y = row.y != 0, all.levels = count;
    for (int n = 0; n < count; n++) all.sizes[n] = levels[n].size, all.ahead_x[n] = levels[n].x, all.ahead_y[n] = levels[n].y;
    Py_ssize_t rows = size / all.width, inner = count ? all.sizes[count - 1] : 1;
    int is_short = all.width < SHORT && all.step_x && all.step_y && inner > 1;
    Py_ssize_t bytes = all.width * all.item, ahead_x = count ? all.ahead_x[count - 1] : 0;
    Py_ssize_t ahead_y = count ? all.ahead_y[count - 1] : 0;
    if (is_short && ((!ahead_y && ahead_x == bytes) || (!ahead_x && ahead_y == bytes))) {
        all.of_x = !ahead_x;
        all.times = REPEATED / bytes;
        if (all.times > inner) all.times = inner;
        all.rows = inner;
        all.sizes[count - 1] = (inner + all.times - 1) / all.times;
        all.ahead_x[count - 1] *= all.times, all.ahead_y[count - 1] *= all.times;
        rows = rows / inner * all.sizes[count - 1];
    } else if (all.width < LEAST_WIDTH && size > MOST_ELEMENTS) return declined_form();
    else if (rows < 16 && all.width > 2 * PART) all.parts = all.width / PART;
    Py_ssize_t step = sizes_by_kind[kind_out];
    for (int n = rank - 1; n >= 0; n--) strides[order[n]] = step, step *= sizes[order[n]];
    PyObject *result = new_array_lying(kind_out, rank, sizes, strides);
    if (!result) return NULL;
    all.out = ((Array *)result)->data;
    if (run_parts(some_parts, &all, rows * all.parts, size * (2 * all.item + all.item_out)) < 0) Py_CLEAR(result);
    return result;
}
