/* Products of windows of images, or of rows of a matrix, with weights that lie in panels (`_packed.c`): of any sizes.

   A panel holds what is multiplied by one channel after the other for neighbouring filters, as many as fill four vectors
   (two, where these are short), so that it is read from its beginning to its end (`_panel_blocks.c`). */
#include "_packing.h"
#include "_panel_blocks.h"

#include <math.h>

#if HAS_VECTORS

enum { PART = 49152, MANY = 64, LINE = 16, ALONE = 1 << 21, BY_CHANNEL = 8, FEW = 8, AHEAD = 8, MOST_ORDERED = 2048 };
/* Numbers of a panel that stay in the cache while AT_ONCE windows are multiplied by them; what the channels of such a
   part are a multiple of, where they are many; numbers that come from memory together; multiplications that one thread
   does, and as how many of them one counts where each channel has a filter of its own; rows up to which a matrix is read
   where it lies, and its rows before which the next ones are asked for; windows that are put in order together. */

Py_ssize_t whole_filters(Py_ssize_t filters) {
    Py_ssize_t lanes = way_of_panels()->lanes;
    return (filters + lanes - 1) / lanes * lanes;
}

Py_ssize_t width_of_panels(void) { return way_of_panels()->lanes * way_of_panels()->parts; }

Py_ssize_t channels_together(Py_ssize_t channels, Py_ssize_t spots) {
    Py_ssize_t most = PART / (width_of_panels() * spots), step = most < MANY ? 8 : MANY;
    most = most < step ? step : most / step * step;
    return least(channels, most);
}

/* Some windows, in the order in which they are multiplied, and where each block of them ends that is multiplied at once. */
typedef struct {
    Py_ssize_t *windows, *ends, blocks;
} Order;

/* Which of a window's lines, or columns, are of the image: a number that differs where these do. */
static size_t inside(Py_ssize_t at, Py_ssize_t spots, Py_ssize_t apart, Py_ssize_t zeros, Py_ssize_t size) {
    size_t number = 1;
    for (; spots > 0; spots--, at += apart) number = number * 3 + (element_at(at, zeros, size) >= 0);
    return number;
}

/* Blocks of windows from `begin` to `end`, as large as they can be, and alike. */
static void cut(Order *order, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t most) {
    Py_ssize_t blocks = (end - begin + most - 1) / most;
    for (Py_ssize_t n = 1; n <= blocks; n++) order->ends[order->blocks++] = begin + (end - begin) * n / blocks;
}

/* Rows, or columns, of windows: `first`, and those up to `end` that are `step` from each other, have the same inside. */
typedef struct {
    Py_ssize_t first, end, step;
} Alike;

/* The next ones, from where these end: in turn those that stand alike to zeros between elements. 0 behind the last. */
static int go_on_to(Alike *next, Py_ssize_t count, Py_ssize_t stride, Py_ssize_t before, Py_ssize_t spots, Py_ssize_t apart,
                    Py_ssize_t zeros, Py_ssize_t size) {
    Py_ssize_t first = next->end;
    if (first >= count && (first = first % next->step + 1) >= least(next->step, count)) return 0;
    size_t those = inside(first * stride - before, spots, apart, zeros, size);
    next->first = first;
    do first += next->step;
    while (first < count && inside(first * stride - before, spots, apart, zeros, size) == those);
    next->end = first;
    return 1;
}

/* Windows from `from` to `to`: those that have the same of the padding come together, so that it is left out. */
static void put_in_order(const Convolution *of, Py_ssize_t from, Py_ssize_t to, Py_ssize_t most, Order *order) {
    Py_ssize_t each = of->rows * of->columns, count = 0, begin = 0;
    Alike rows = {0, 0, of->zeros_down + 1};
    while (go_on_to(&rows, of->rows, of->down, of->top, of->high, of->apart_down, of->zeros_down, of->height)) {
        Alike columns = {0, 0, of->zeros_across + 1};
        while (go_on_to(&columns, of->columns, of->across, of->left, of->wide, of->apart_across, of->zeros_across,
                        of->width)) {
            Py_ssize_t before = count;
            for (Py_ssize_t image = from / each; image * each < to; image++)
                for (Py_ssize_t r = rows.first; r < rows.end; r += rows.step) {
                    Py_ssize_t n = (image * of->rows + r) * of->columns;
                    if (n + of->columns <= from || n >= to) continue;
                    for (Py_ssize_t c = columns.first; c < columns.end; c += columns.step)
                        if (n + c >= from && n + c < to) order->windows[count++] = n + c;
                }
            if (count - begin > most) cut(order, begin, before, most), begin = before;
        }
    }
    cut(order, begin, count, most);
}

/* What a thread has while it multiplies: some windows, and the panel that is read. */
typedef struct {
    const Convolution *of;
    float *out, *sums;
    const float **table;
    const Py_ssize_t *windows, *ends;  /* and of the blocks the ends, which are counted from before the windows */
    Py_ssize_t before, blocks;
    Py_ssize_t filter, whole, filters; /* of the panel */
} Work;

/* All windows by a part of the panel, and what follows where it is the last one. */
static void multiply_part(const Work *at, Block *block, int is_first, int is_last, int reads_windows, Py_ssize_t lines) {
    /* `lines` of the cache are asked for meanwhile, from `next` on; where it lies itself, the panel's rows ahead */
    const Way *how = way_of_panels();
    const Convolution *of = at->of;
    Py_ssize_t parts = at->whole / how->lanes, share = (lines + at->blocks - 1) / at->blocks, width = at->whole, done = 0;
    int is_direct = of->activation <= RELU && at->filters == at->whole; /* results are stored as they are summed up */
    const char *next = block->next;
    for (Py_ssize_t n = 0; n < at->blocks; n++) {
        Py_ssize_t end = at->ends[n] - at->before, count = end - done;
        const float *residuals[MOST_ROWS];
        float *results[MOST_ROWS];
        block->places = at->table + done;
        block->bias = is_first && is_direct && of->residual ? of->bias + at->filter : NULL;
        block->floor = is_last && is_direct && of->activation == RELU ? 0.0f : -INFINITY;
        for (Py_ssize_t r = 0; r < count; r++) {
            Py_ssize_t place = at->windows[done + r] * of->filters + at->filter;
            float *sums = at->sums + (is_first && is_last ? r : done + r) * width; /* sums of a panel's parts are kept */
            results[r] = at->out + place;
            residuals[r] = of->residual ? of->residual + place : NULL;
            block->start[r] = !is_first ? sums : block->bias ? residuals[r] : of->bias + at->filter;
            block->to[r] = is_last && is_direct ? results[r] : sums;
        }
        block->next = lines ? next + n * share * LINE * (Py_ssize_t)sizeof(float) : (const char *)block->panel;
        block->ahead = lines ? LINE * (Py_ssize_t)sizeof(float) : 0;
        if (block->apart != width)
            block->ahead = block->apart * (Py_ssize_t)sizeof(float), block->next += AHEAD * block->ahead;
        if (reads_windows && n + 1 < at->blocks) {
            block->next = (const char *)(at->table[end] + block->skipped);
            block->ahead = (Py_ssize_t)sizeof(float) * count;
        }
        how->compute[parts][count](block);
        if (is_last && !is_direct)
            how->finish(of, block->to[0], width, count, at->filters, of->residual ? residuals : NULL, results);
        done = end;
    }
}

/* Filters that one thread takes, or a multiple of them: a panel's; or a vector's, where there are no panels yet and all
   vectors are full, so that each result is summed up in the same order in any panel. */
static Py_ssize_t step_of_filters(const Weight *weight) {
    Py_ssize_t lanes = way_of_panels()->lanes;
    return weight->panels || weight->filters % lanes ? width_of_panels() : lanes;
}

/* How many filters come next, of `left`: as many as the following ones, where panels are made as they are wanted. */
static Py_ssize_t next_filters(const Weight *weight, Py_ssize_t left) {
    Py_ssize_t width = width_of_panels(), step = step_of_filters(weight), count = (left + width - 1) / width;
    return step == width ? least(left, width) : (left / step + count - 1) / count * step;
}

/* Some windows by filters from `first` to `last`, whole vectors, with room for what is brought into panels. */
static void multiply_some(Work *work, const Weight *weight, Py_ssize_t first, Py_ssize_t last, int is_in_place,
                          int is_pointwise, float *room, Py_ssize_t *rows) {
    const Convolution *of = work->of;
    Py_ssize_t spots = of->high * of->wide, steps = weight->spots * weight->channels;
    Py_ssize_t row = weight->apart ? weight->apart : weight->filters, count = work->ends[work->blocks - 1] - work->before;
    Block block = {.spots = spots, .zeros = of->zeros};
    for (Py_ssize_t filter = first; filter < last; filter += work->whole) {
        work->filter = filter, work->whole = next_filters(weight, last - filter);
        work->filters = least(of->filters - work->filter, work->whole);
        const float *filled = weight->panels ? weight->panels + work->filter * steps : room;
        for (Py_ssize_t channel = 0; channel < of->channels; channel += of->together) {
            Py_ssize_t lines = 0, read;
            block.skipped = channel, block.channels = least(of->together, of->channels - channel);
            block.panel = filled, read = spots * block.channels * work->whole;
            int is_last = channel + block.channels == of->channels;
            block.apart = work->whole;
            if (is_in_place && work->filters == work->whole)
                block.apart = row, block.panel = weight->weight + channel * row + work->filter;
            else if (!weight->panels)
                fill_part(weight, work->filter, channel, block.channels, work->whole, room, rows);
            else { /* what is read next is asked for */
                filled += read;
                block.next = (const char *)filled;
                if (!is_last || filter + work->whole < last) lines = least(read, (last - filter) * steps) / LINE;
            }
            int reads_windows = filter == first && is_pointwise && count * of->channels > read;
            multiply_part(work, &block, !channel, is_last, reads_windows, lines);
        }
    }
}

/* Windows from `from` to `to` by filters from `first` to `last`. */
static int multiply(const Convolution *of, const Weight *weight, float *out, Py_ssize_t from, Py_ssize_t to,
                    Py_ssize_t first, Py_ssize_t last) {
    const Way *how = way_of_panels();
    Py_ssize_t spots = of->high * of->wide, width = width_of_panels(), each = of->rows * of->columns;
    Py_ssize_t sums = AT_ONCE * width, part = weight->panels ? 0 : of->together * spots * width;
    Py_ssize_t places = weight->panels ? 0 : length_of_places(weight);
    int has_zeros = of->zeros_down || of->zeros_across;
    int is_inside = !has_zeros && !of->top && !of->left &&
                    (of->rows - 1) * of->down + (of->high - 1) * of->apart_down < of->height &&
                    (of->columns - 1) * of->across + (of->wide - 1) * of->apart_across < of->width;
    int is_pointwise = spots == 1 && is_inside, is_ordered = has_zeros || (!is_inside && each <= MOST_ORDERED / 2);
    int is_in_place = !weight->panels && weight->kind == MATRIX && to - from <= FEW;
    Py_ssize_t at_once = is_ordered ? MOST_ORDERED : AT_ONCE, known = least(at_once, to - from);
    const float **table = PyMem_RawMalloc((size_t)(AT_ONCE * spots) * sizeof *table);
    Py_ssize_t *offsets = offsets_of(of), *rows = PyMem_RawMalloc((size_t)places * sizeof *rows);
    Py_ssize_t *windows = PyMem_RawMalloc((size_t)(2 * known) * sizeof *windows);
    float *room = PyMem_RawMalloc((size_t)(sums + part + LINE) * sizeof *room);
    int has_room = table && offsets && windows && room && rows;
    Order order = {windows, windows + known, 0};
    Work work = {of, out, (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63), table, NULL, NULL, 0, 0, 0, 0, 0};
    Py_ssize_t most = how->rows[least(whole_filters(of->filters), width) / how->lanes];
    for (Py_ssize_t begin = from, end; has_room && begin < to; begin = end) {
        Place at = place_of(of, begin);
        end = least(to, begin + at_once), order.blocks = 0;
        if (is_ordered) put_in_order(of, begin, end, most, &order);
        else {
            for (Py_ssize_t n = begin; n < end; n++) windows[n - begin] = n;
            cut(&order, 0, end - begin, most);
        }
        for (Py_ssize_t block = 0; block < order.blocks; block += work.blocks) {
            work.before = block ? order.ends[block - 1] : 0, work.blocks = 1;
            while (block + work.blocks < order.blocks && order.ends[block + work.blocks] - work.before <= AT_ONCE)
                work.blocks++;
            work.windows = windows + work.before, work.ends = order.ends + block;
            for (Py_ssize_t n = 0; n < work.ends[work.blocks - 1] - work.before; n++, go_on(of, &at)) {
                if (is_ordered) at = place_of(of, work.windows[n]);
                if (!is_pointwise) find_places(of, &at, offsets, table + n, AT_ONCE);
                else table[n] = of->x + at.image * of->image_step + at.row * of->down * of->line_step +
                                at.column * of->across * of->element_step;
            }
            multiply_some(&work, weight, first, last, is_in_place, is_pointwise, work.sums + sums, rows);
        }
    }
    PyMem_RawFree(room);
    PyMem_RawFree(windows);
    PyMem_RawFree(rows);
    PyMem_RawFree(offsets);
    PyMem_RawFree((void *)table);
    return has_room;
}

/* What the threads of a team share. */
typedef struct {
    const Convolution *of;
    const Weight *weight;
    float *out;
    const Team *team;
    Py_ssize_t windows;
    int is_by_filters, failed;
} Shared;

static void share(void *data) {
    Shared *all = data;
    int number = all->team->number(), threads = all->team->count(), ended = 1;
    Py_ssize_t whole = whole_filters(all->of->filters);
    if (all->is_by_filters) {
        Py_ssize_t step = step_of_filters(all->weight), count = (whole + step - 1) / step;
        Py_ssize_t first = count * number / threads * step, last = least(count * (number + 1) / threads * step, whole);
        if (first < last) ended = multiply(all->of, all->weight, all->out, 0, all->windows, first, last);
    } else {
        /* The same part of the images in each layer: it lies in the cache of the core that made it. */
        Py_ssize_t from = all->windows * number / threads, end = all->windows * (number + 1) / threads;
        if (from < end)
            ended = all->weight->kind == OWN ? multiply_by_channel(all->of, all->weight->panels, all->out, from, end)
                                             : multiply(all->of, all->weight, all->out, from, end, 0, whole);
    }
    if (!ended) __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
}

INLINE Py_ssize_t windows_of(const Convolution *of) { return of->images * of->rows * of->columns; }

/* Whether filters are as many for each thread, or nearly so. */
static int are_even(const Convolution *of, const Weight *weight, int threads) {
    Py_ssize_t step = step_of_filters(weight), count = (whole_filters(of->filters) + step - 1) / step;
    return count >= threads && (count % threads == 0 || count > 4 * threads);
}

int multiply_panels(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads) {
    Py_ssize_t windows = windows_of(of), steps = of->high * of->wide * of->channels;
    int is_by_channel = weight->kind == OWN;
    double work = (double)windows * (double)steps * (is_by_channel ? BY_CHANNEL : (double)of->filters);
    if (threads < 2 || !team->parallel || work < ALONE)
        return is_by_channel ? multiply_by_channel(of, weight->panels, out, 0, windows)
                             : multiply(of, weight, out, 0, windows, 0, whole_filters(of->filters));
    Py_ssize_t elements = of->images * of->height * of->width * of->channels;
    Shared all = {of, weight, out, team, windows, 0, 0};
    int is_heavy = !weight->panels || of->filters * steps > elements;
    all.is_by_filters = !is_by_channel && is_heavy && are_even(of, weight, threads);
    team->parallel(share, &all, (unsigned)threads, 0);
    return !all.failed;
}

int multiply_once(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads) {
    int is_alone = threads < 2 || !team->parallel;
    Py_ssize_t size = weight->spots * weight->channels * (weight->kind == OWN ? 1 : whole_filters(weight->filters));
    /* Where a part is needed once; images that were brought into order want the panels in one part. */
    int may_wait = weight->kind != OWN && of->together == weight->together && windows_of(of) <= AT_ONCE;
    int are_few = weight->kind == MATRIX && windows_of(of) <= FEW;
    if (may_wait && (is_alone || are_few || are_even(of, weight, threads)))
        return multiply_panels(of, weight, out, team, threads);
    float *room = PyMem_RawMalloc((size_t)(size + LINE) * sizeof *room);
    if (!room) return 0;
    Weight packed = *weight;
    packed.panels = (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63);
    int ended = pack_panels(&packed, team, threads) && multiply_panels(of, &packed, out, team, threads);
    PyMem_RawFree(room);
    return ended;
}

#else
Py_ssize_t channels_together(Py_ssize_t channels, Py_ssize_t spots) { return channels; }
Py_ssize_t whole_filters(Py_ssize_t filters) { return filters; }
Py_ssize_t width_of_panels(void) { return 0; }
int multiply_panels(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads) { return 0; }
int multiply_once(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads) { return 0; }
#endif
