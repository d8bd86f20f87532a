/* Products of windows of images, or of rows of a matrix, with weights that lie in panels (`_packed.c`): of any sizes.

   A panel holds what is multiplied by one channel after the other for neighbouring filters, as many as fill four vectors
   (two, where these are short), so that it is read from its beginning to its end. The sums of some windows for a panel
   stay in the registers while it is read; meanwhile the part that is read next is asked for from memory. */
#include "_packing.h"

#if HAS_TWO_WAYS
#include <immintrin.h>
#endif
#include <math.h>
#include <stdlib.h>

#if HAS_VECTORS

#if !defined(__clang__)
#pragma GCC optimize("O3", "fp-contract=fast", "no-trapping-math") /* no flag of the processor is looked at here */
#endif

typedef float Sixteen __attribute__((vector_size(64)));

/* The larger of a bound and a value, and the smaller: a NaN stays. */
#define LARGER_NUMBER(bound, value) ((value) < (bound) ? (bound) : (value))
#define SMALLER_NUMBER(bound, value) ((value) > (bound) ? (bound) : (value))
#define CHOSEN(where, x, y) ((Floats)(((where) & (Ints)(x)) | (~(where) & (Ints)(y))))
#define LARGER_PLAIN(bound, value) CHOSEN((value) < (bound), bound, value)
#define SMALLER_PLAIN(bound, value) CHOSEN((value) > (bound), bound, value)
#if HAS_TWO_WAYS /* of a NaN and a number, these give the second */
#define LARGER_EIGHT(bound, value) ((Floats)_mm256_max_ps((__m256)(bound), (__m256)(value)))
#define SMALLER_EIGHT(bound, value) ((Floats)_mm256_min_ps((__m256)(bound), (__m256)(value)))
#define LARGER_SIXTEEN(bound, value) ((Sixteen)_mm512_max_ps((__m512)(bound), (__m512)(value)))
#define SMALLER_SIXTEEN(bound, value) ((Sixteen)_mm512_min_ps((__m512)(bound), (__m512)(value)))
#define WIDE __attribute__((target("avx2,fma")))
#define WIDEST __attribute__((target("avx512f")))
#else
#define LARGER_EIGHT LARGER_PLAIN
#define SMALLER_EIGHT SMALLER_PLAIN
#define WIDE
#endif

/* What follows the product, of a number or a vector of them. */
#define FOLLOWED(NUMBERS, KIND, value) \
    if (activation == RELU) { \
        const NUMBERS zero = (NUMBERS){0}; \
        value = LARGER_##KIND(zero, value); \
    } else if (activation == HARD_SWISH) { \
        const NUMBERS zero = (NUMBERS){0}, six = (NUMBERS){0} + 6.0f; \
        NUMBERS gate = value + 3.0f; \
        gate = LARGER_##KIND(zero, gate); \
        gate = SMALLER_##KIND(six, gate); \
        value = value * gate * (1.0f / 6.0f); \
    }

enum { AT_ONCE = 192, PART = 49152, MANY = 64, LINE = 16, ALONE = 1 << 21, BY_CHANNEL = 8, FEW = 8, AHEAD = 8 };
/* Windows whose elements stay in the cache for all panels; numbers of a panel that do, while these windows are multiplied
   by them; what the channels of such a part are a multiple of, where they are many; numbers that come from memory
   together; multiplications that one thread does, and as how many of them one counts where each channel has a filter of
   its own; rows up to which a matrix is read where it lies, and its rows before which the next ones are asked for. */

typedef struct {
    const float *const *places; /* of the windows' first elements; those of the next ones lie AT_ONCE further */
    Py_ssize_t skipped, spots, channels; /* channels before those that are read; elements, and channels of each */
    const float *panel, *start, *bias;   /* sums begin with `start`, and the bias where there is one */
    Py_ssize_t start_step, step, apart;  /* from window to window; and from channel to channel of the panel */
    float *to, floor;                    /* results below it are it */
    const char *next; /* what is asked for, by lines or not at all */
    Py_ssize_t ahead;
} Block;

typedef void (*Compute)(const Block *of);

#if defined(__clang__)
#define ALL _Pragma("clang loop unroll(full)")
#else
#define ALL _Pragma("GCC unroll 8")
#endif

#define ONLY_NOW __asm__ volatile("" ::: "memory"); /* what is read behind has no register before: all hold sums */

/* Defines what multiplies so many windows by a panel of so many vectors. */
#define BLOCK(TARGET, NAME, VECTOR, KIND, LANES, PARTS, ROWS) \
    TARGET static void NAME(const Block *of) { \
        VECTOR sums[ROWS][PARTS], w[PARTS]; \
        ALL for (int r = 0; r < ROWS; r++) \
            ALL for (int p = 0; p < PARTS; p++) \
                memcpy(&sums[r][p], of->start + r * of->start_step + p * LANES, sizeof w[0]); \
        if (of->bias) \
            ALL for (int p = 0; p < PARTS; p++) { \
                memcpy(&w[p], of->bias + p * LANES, sizeof w[0]); \
                ALL for (int r = 0; r < ROWS; r++) sums[r][p] += w[p]; \
            } \
        const float *panel = of->panel; \
        const float *const *places = of->places; \
        const char *next = of->next; \
        const Py_ssize_t channels = of->channels, ahead = of->ahead, apart = of->apart; \
        for (Py_ssize_t spot = 0; spot < of->spots; spot++, places += AT_ONCE) { \
            const float *x[ROWS]; \
            ALL for (int r = 0; r < ROWS; r++) x[r] = places[r] + of->skipped; \
            for (Py_ssize_t c = 0; c < channels; c++, panel += apart, next += ahead) { \
                ALL for (int p = 0; p < PARTS; p++) memcpy(&w[p], panel + p * LANES, sizeof w[0]); \
                __builtin_prefetch(next, 0, 2); \
                ALL for (int r = 0; r < ROWS; r++) \
                    ALL for (int p = 0; p < PARTS; p++) sums[r][p] += x[r][c] * w[p]; \
            } \
        } \
        ONLY_NOW \
        const VECTOR floor = (VECTOR){0} + of->floor; \
        ALL for (int r = 0; r < ROWS; r++) \
            ALL for (int p = 0; p < PARTS; p++) { \
                VECTOR value = LARGER_##KIND(floor, sums[r][p]); \
                memcpy(of->to + r * of->step + p * LANES, &value, sizeof value); \
            } \
    }

/* Defines what brings the sums of some windows, which lie `width` apart, to their place, for so many filters. */
#define FINISHED(VECTOR, KIND, LANES) \
    for (; f + LANES <= filters; f += LANES) { \
        VECTOR value, other; \
        memcpy(&value, sums + f, sizeof value); \
        if (added) { \
            memcpy(&other, added + f, sizeof other); \
            value += other; \
        } \
        FOLLOWED(VECTOR, KIND, value) \
        memcpy(to + f, &value, sizeof value); \
    }
#define FINISH(TARGET, NAME, ...) \
    TARGET static void NAME(const Convolution *of, const float *sums, Py_ssize_t width, Py_ssize_t windows, \
                            Py_ssize_t filters, const float *residual, float *to) { \
        const int activation = of->activation; \
        for (Py_ssize_t n = 0; n < windows; n++, sums += width, to += of->filters) { \
            const float *added = residual ? residual + n * of->filters : NULL; \
            Py_ssize_t f = 0; \
            __VA_ARGS__ \
            FINISHED(float, NUMBER, 1) \
        } \
    }
typedef void (*Finish)(const Convolution *of, const float *sums, Py_ssize_t width, Py_ssize_t windows, Py_ssize_t filters,
                       const float *residual, float *to);
FINISH(WIDE, finish_eights, FINISHED(Floats, EIGHT, 8))
#if HAS_TWO_WAYS
FINISH(, finish_narrow, FINISHED(Floats, PLAIN, 8))
FINISH(WIDEST, finish_sixteens, FINISHED(Sixteen, SIXTEEN, 16) FINISHED(Floats, EIGHT, 8))
#endif

#define UP_TO_SIX(X, ...) \
    X(__VA_ARGS__, 1) X(__VA_ARGS__, 2) X(__VA_ARGS__, 3) X(__VA_ARGS__, 4) X(__VA_ARGS__, 5) X(__VA_ARGS__, 6)
#define UP_TO_EIGHT(X, ...) UP_TO_SIX(X, __VA_ARGS__) X(__VA_ARGS__, 7) X(__VA_ARGS__, 8)

enum { MOST_PARTS = 4, MOST_ROWS = 8 };

/* How a processor does it: the numbers of a vector, the vectors of a panel, the windows at a time for so many of them. */
typedef struct {
    Py_ssize_t lanes, parts, rows[MOST_PARTS + 1];
    Finish finish;
    Compute compute[MOST_PARTS + 1][MOST_ROWS + 1];
} Way;

#define BLOCK_8(TARGET, PARTS, ROWS) BLOCK(TARGET, in_eights_##PARTS##_##ROWS, Floats, EIGHT, 8, PARTS, ROWS)
#define NAME_8(PARTS, ROWS) in_eights_##PARTS##_##ROWS,
#if HAS_TWO_WAYS
#define BLOCK_NARROW(TARGET, PARTS, ROWS) BLOCK(TARGET, narrow_##PARTS##_##ROWS, Floats, PLAIN, 8, PARTS, ROWS)
#define NAME_NARROW(PARTS, ROWS) narrow_##PARTS##_##ROWS,
UP_TO_SIX(BLOCK_NARROW, , 1)
UP_TO_SIX(BLOCK_NARROW, , 2)
static const Way narrow = {
    8, 2, {0, 6, 6}, finish_narrow, {{NULL}, {NULL, UP_TO_SIX(NAME_NARROW, 1)}, {NULL, UP_TO_SIX(NAME_NARROW, 2)}}};
#endif
UP_TO_EIGHT(BLOCK_8, WIDE, 1)
UP_TO_SIX(BLOCK_8, WIDE, 2)
static const Way in_eights = {
    8, 2, {0, 8, 6}, finish_eights, {{NULL}, {NULL, UP_TO_EIGHT(NAME_8, 1)}, {NULL, UP_TO_SIX(NAME_8, 2)}}};

#if HAS_TWO_WAYS
#define BLOCK_16(TARGET, PARTS, ROWS) BLOCK(TARGET, in_sixteens_##PARTS##_##ROWS, Sixteen, SIXTEEN, 16, PARTS, ROWS)
#define NAME_16(PARTS, ROWS) in_sixteens_##PARTS##_##ROWS,
UP_TO_EIGHT(BLOCK_16, WIDEST, 1)
UP_TO_EIGHT(BLOCK_16, WIDEST, 2)
UP_TO_EIGHT(BLOCK_16, WIDEST, 3)
UP_TO_SIX(BLOCK_16, WIDEST, 4)
static const Way in_sixteens = {
    16, 4, {0, 8, 8, 8, 6}, finish_sixteens,
    {{NULL}, {NULL, UP_TO_EIGHT(NAME_16, 1)}, {NULL, UP_TO_EIGHT(NAME_16, 2)}, {NULL, UP_TO_EIGHT(NAME_16, 3)},
     {NULL, UP_TO_SIX(NAME_16, 4)}}};

/* The way is one for a process, in which panels lie so. PROA_VECTOR_BYTES in the environment bounds it. */
static const Way *way(void) {
    static const Way *found;
    if (!found) {
        const char *said = getenv("PROA_VECTOR_BYTES");
        int most = said && *said ? atoi(said) : 64;
        found = most >= 64 && __builtin_cpu_supports("avx512f") ? &in_sixteens
                : most >= 32 && has_wide_vectors ? &in_eights : &narrow;
    }
    return found;
}
int have_fast_panels(void) { return way() != &narrow; }
#else
static const Way *way(void) { return &in_eights; }
int have_fast_panels(void) { return 0; }
#endif

Py_ssize_t whole_filters(Py_ssize_t filters) {
    Py_ssize_t lanes = way()->lanes;
    return (filters + lanes - 1) / lanes * lanes;
}

Py_ssize_t width_of_panels(void) { return way()->lanes * way()->parts; }

Py_ssize_t channels_together(Py_ssize_t channels, Py_ssize_t spots) {
    Py_ssize_t most = PART / (width_of_panels() * spots), step = most < MANY ? 8 : MANY;
    most = most < step ? step : most / step * step;
    return least(channels, most);
}

/* How far the elements of a window lie from its first; NULL where there is no memory. */
static Py_ssize_t *offsets_of(const Convolution *of) {
    Py_ssize_t *offsets = PyMem_RawMalloc((size_t)(of->high * of->wide) * sizeof *offsets);
    for (Py_ssize_t r = 0; r < of->high && offsets; r++)
        for (Py_ssize_t c = 0; c < of->wide; c++)
            offsets[r * of->wide + c] = r * of->apart_down * of->line_step + c * of->apart_across * of->element_step;
    return offsets;
}

static Place place_of(const Convolution *of, Py_ssize_t window) {
    return (Place){window / (of->rows * of->columns), window / of->columns % of->rows, window % of->columns};
}

/* What a thread has while it multiplies: some windows, and the panel that is read. */
typedef struct {
    const Convolution *of;
    float *out, *sums;
    const float **table;
    Py_ssize_t begin, count;          /* of the windows */
    Py_ssize_t filter, whole, filters; /* of the panel */
} Work;

/* All windows by a part of the panel, and what follows where it is the last one. */
static void multiply_part(const Work *at, Block *block, int is_first, int is_last, int reads_windows, Py_ssize_t lines) {
    /* `lines` of the cache are asked for meanwhile, from `next` on; where it lies itself, the panel's rows ahead */
    const Way *how = way();
    const Convolution *of = at->of;
    Py_ssize_t parts = at->whole / how->lanes, rows = how->rows[parts], blocks = (at->count + rows - 1) / rows;
    Py_ssize_t share = (lines + blocks - 1) / blocks, width = at->whole, done = 0;
    int is_direct = of->activation <= RELU && at->filters == at->whole; /* results are stored as they are summed up */
    const char *next = block->next;
    for (Py_ssize_t n = 0; n < blocks; n++) {
        Py_ssize_t end = at->count * (n + 1) / blocks, place = (at->begin + done) * of->filters + at->filter;
        const float *residual = of->residual ? of->residual + place : NULL;
        block->places = at->table + done;
        block->to = at->sums + (is_first && is_last ? 0 : done * width); /* sums of a panel's parts are kept */
        block->start = is_first ? of->bias + at->filter : block->to;
        block->start_step = is_first ? 0 : width;
        block->bias = NULL, block->step = width, block->floor = -INFINITY;
        if (is_first && is_direct && residual)
            block->start = residual, block->start_step = of->filters, block->bias = of->bias + at->filter;
        if (is_last && is_direct) {
            block->to = at->out + place, block->step = of->filters;
            if (of->activation == RELU) block->floor = 0.0f;
        }
        block->next = lines ? next + n * share * LINE * (Py_ssize_t)sizeof(float) : (const char *)block->panel;
        block->ahead = lines ? LINE * (Py_ssize_t)sizeof(float) : 0;
        if (block->apart != width) block->ahead = block->apart * (Py_ssize_t)sizeof(float), block->next += AHEAD * block->ahead;
        if (reads_windows && end < at->count) {
            block->next = (const char *)(at->table[end] + block->skipped);
            block->ahead = (Py_ssize_t)sizeof(float) * (end - done);
        }
        how->compute[parts][end - done](block);
        if (is_last && !is_direct)
            how->finish(of, block->to, width, end - done, at->filters, residual, at->out + place);
        done = end;
    }
}

/* Windows from `from` to `to` by panels from `first` to `last`. */
static int multiply(const Convolution *of, const Weight *weight, float *out, Py_ssize_t from, Py_ssize_t to,
                    Py_ssize_t first, Py_ssize_t last) {
    Py_ssize_t spots = of->high * of->wide, steps = weight->spots * weight->channels, width = width_of_panels();
    Py_ssize_t sums = AT_ONCE * width, part = weight->panels ? 0 : of->together * spots * width;
    Py_ssize_t places = weight->panels ? 0 : length_of_places(weight);
    const float **table = PyMem_RawMalloc((size_t)(AT_ONCE * spots) * sizeof *table);
    Py_ssize_t *offsets = offsets_of(of), *rows = PyMem_RawMalloc((size_t)places * sizeof *rows);
    float *room = PyMem_RawMalloc((size_t)(sums + part + LINE) * sizeof *room);
    if (!table || !offsets || !room || !rows) {
        PyMem_RawFree((void *)table);
        PyMem_RawFree(offsets);
        PyMem_RawFree(rows);
        PyMem_RawFree(room);
        return 0;
    }
    Work work = {of, out, (float *)(((uintptr_t)room + 63) & ~(uintptr_t)63), table, 0, 0, 0, 0, 0};
    Place at = place_of(of, from);
    Py_ssize_t line_step = of->down * of->line_step, element_step = of->across * of->element_step;
    int is_pointwise = spots == 1 && !of->top && !of->left && (of->rows - 1) * of->down < of->height &&
                       (of->columns - 1) * of->across < of->width;
    Py_ssize_t row = weight->apart ? weight->apart : weight->filters;
    int is_in_place = !weight->panels && weight->kind == MATRIX && to - from <= FEW;
    Block block = {.spots = spots};
    for (work.begin = from; work.begin < to; work.begin += AT_ONCE) {
        work.count = least(to - work.begin, AT_ONCE);
        for (Py_ssize_t n = 0; n < work.count; n++, go_on(of, &at)) {
            if (!is_pointwise) find_places(of, &at, offsets, table + n, AT_ONCE);
            else table[n] = of->x + at.image * of->image_step + at.row * line_step + at.column * element_step;
        }
        for (Py_ssize_t panel = first; panel < last; panel++) {
            work.filter = panel * width, work.whole = least(whole_filters(of->filters) - work.filter, width);
            work.filters = least(of->filters - work.filter, work.whole);
            const float *filled = weight->panels ? weight->panels + work.filter * steps : work.sums + sums;
            for (Py_ssize_t channel = 0; channel < of->channels; channel += of->together) {
                Py_ssize_t lines = 0, read;
                block.skipped = channel, block.channels = least(of->together, of->channels - channel);
                block.panel = filled, read = spots * block.channels * work.whole;
                int is_last = channel + block.channels == of->channels;
                block.apart = work.whole;
                if (is_in_place && work.filters == work.whole)
                    block.apart = row, block.panel = weight->weight + channel * row + work.filter;
                else if (!weight->panels)
                    fill_part(weight, work.filter, channel, block.channels, work.whole, work.sums + sums, rows);
                else { /* what is read next is asked for */
                    filled += read;
                    block.next = (const char *)filled;
                    if (!is_last || panel + 1 < last) lines = least(read, (last - panel) * width * steps) / LINE;
                }
                int reads_windows = panel == first && is_pointwise && work.count * of->channels > read;
                multiply_part(&work, &block, !channel, is_last, reads_windows, lines);
            }
        }
    }
    PyMem_RawFree(room);
    PyMem_RawFree(rows);
    PyMem_RawFree(offsets);
    PyMem_RawFree((void *)table);
    return 1;
}

/* Where each channel has a filter of its own: some windows at a time, channel by channel side by side. `filters` has a row
   for each element of a window, of which those from spots[0] to spots[1] are taken; `places` are those of the windows'
   elements, TOGETHER for each, or NULL where all lie `offsets` behind those of the first elements, which begin at `base`
   and stand `apart` from window to window. */
enum { TOGETHER = 4 };
#define CHANNELS(TARGET, NAME, VECTOR, KIND, LANES, PARTS) \
    TARGET static Py_ssize_t NAME(const Convolution *of, const float *const *places, const float *base, Py_ssize_t apart, \
                                  const Py_ssize_t *offsets, const Py_ssize_t *spots, Py_ssize_t window, \
                                  Py_ssize_t count, Py_ssize_t first, const float *filters, float *out) { \
        const Py_ssize_t channels = of->channels; \
        const int activation = of->activation; \
        for (; first + PARTS * LANES <= channels; first += PARTS * LANES) { \
            VECTOR sums[TOGETHER][PARTS], w[PARTS], x; \
            ALL for (int p = 0; p < PARTS; p++) { \
                memcpy(&w[p], of->bias + first + p * LANES, sizeof x); \
                ALL for (int r = 0; r < TOGETHER; r++) sums[r][p] = w[p]; \
            } \
            for (Py_ssize_t spot = spots[0]; spot < spots[1]; spot++) { \
                ALL for (int p = 0; p < PARTS; p++) \
                    memcpy(&w[p], filters + spot * channels + first + p * LANES, sizeof x); \
                ALL for (int r = 0; r < TOGETHER; r++) \
                    ALL for (int p = 0; p < PARTS; p++) { \
                        const float *from = places ? places[spot * TOGETHER + r] : base + r * apart + offsets[spot]; \
                        memcpy(&x, from + first + p * LANES, sizeof x); \
                        sums[r][p] += x * w[p]; \
                    } \
            } \
            ALL for (int r = 0; r < TOGETHER; r++) \
                ALL for (int p = 0; p < PARTS; p++) { \
                    if (r >= count) continue; \
                    const Py_ssize_t place = (window + r) * channels + first + p * LANES; \
                    VECTOR value = sums[r][p]; \
                    if (of->residual) { \
                        memcpy(&x, of->residual + place, sizeof x); \
                        value += x; \
                    } \
                    FOLLOWED(VECTOR, KIND, value) \
                    memcpy(out + place, &value, sizeof value); \
                } \
        } \
        return first; \
    }
CHANNELS(, one_channel, float, NUMBER, 1, 1)
CHANNELS(WIDE, eight_channels, Floats, EIGHT, 8, 1)
CHANNELS(WIDE, two_eights, Floats, EIGHT, 8, 2)
#if HAS_TWO_WAYS
CHANNELS(WIDEST, sixteen_channels, Sixteen, SIXTEEN, 16, 1)
CHANNELS(WIDEST, two_sixteens, Sixteen, SIXTEEN, 16, 2)
#endif

static int multiply_by_channel(const Convolution *of, const float *filters, float *out, Py_ssize_t from, Py_ssize_t to) {
    Py_ssize_t spots = of->high * of->wide;
    const float **places = PyMem_RawMalloc((size_t)(TOGETHER * spots) * sizeof *places);
    Py_ssize_t *offsets = offsets_of(of);
    if (places && offsets) {
        Place at = place_of(of, from);
        Py_ssize_t apart = of->across * of->element_step;
        for (Py_ssize_t window = from; window < to; window += TOGETHER) {
            Py_ssize_t count = least(to - window, TOGETHER), first = 0;
            Py_ssize_t line = at.row * of->down - of->top, element = at.column * of->across - of->left;
            const float *base = of->x + at.image * of->image_step + line * of->line_step + element * of->element_step;
            const float *const *found = NULL;
            Py_ssize_t within[2] = {0, of->high}; /* lines of the window that are of the image: the others add nothing */
            if (line < 0) within[0] = least(of->high, (of->apart_down - 1 - line) / of->apart_down);
            if (line < of->height) within[1] = least(of->high, (of->height - 1 - line) / of->apart_down + 1);
            else within[1] = within[0];
            within[0] *= of->wide, within[1] *= of->wide;
            if (count == TOGETHER && at.column + TOGETHER <= of->columns && element >= 0 &&
                element + (TOGETHER - 1) * of->across + (of->wide - 1) * of->apart_across < of->width)
                at.column += TOGETHER - 1;
            else {
                for (Py_ssize_t r = 0; r < TOGETHER; r++) { /* the last window stands for those that are missing */
                    if (r && r < count) go_on(of, &at);
                    find_places(of, &at, offsets, places + r, TOGETHER);
                }
                found = places;
                within[0] = 0, within[1] = spots;
            }
            go_on(of, &at);
#define WINDOWS of, found, base, apart, offsets, within, window, count, first, filters, out
#if HAS_TWO_WAYS
            if (way() == &in_sixteens) {
                first = two_sixteens(WINDOWS);
                first = sixteen_channels(WINDOWS);
            }
            if (way() != &narrow)
#endif
            {
                first = two_eights(WINDOWS);
                first = eight_channels(WINDOWS);
            }
            one_channel(WINDOWS);
#undef WINDOWS
        }
    }
    int ended = places && offsets;
    PyMem_RawFree(offsets);
    PyMem_RawFree((void *)places);
    return ended;
}

/* What the threads of a team share. */
typedef struct {
    const Convolution *of;
    const Weight *weight;
    float *out;
    const Team *team;
    Py_ssize_t windows, count; /* of windows and of panels */
    int is_by_panels, failed;
} Shared;

static void share(void *data) {
    Shared *all = data;
    int number = all->team->number(), threads = all->team->count(), ended = 1;
    if (all->is_by_panels) {
        Py_ssize_t first = all->count * number / threads, last = all->count * (number + 1) / threads;
        if (first < last) ended = multiply(all->of, all->weight, all->out, 0, all->windows, first, last);
    } else {
        /* The same part of the images in each layer: it lies in the cache of the core that made it. */
        Py_ssize_t from = all->windows * number / threads, end = all->windows * (number + 1) / threads;
        if (from < end)
            ended = all->weight->kind == OWN ? multiply_by_channel(all->of, all->weight->panels, all->out, from, end)
                                             : multiply(all->of, all->weight, all->out, from, end, 0, all->count);
    }
    if (!ended) __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
}

INLINE Py_ssize_t windows_of(const Convolution *of) { return of->images * of->rows * of->columns; }
INLINE Py_ssize_t count_panels(const Convolution *of) { return (of->filters + width_of_panels() - 1) / width_of_panels(); }
INLINE int are_even(Py_ssize_t panels, int threads) {
    return panels >= threads && (panels % threads == 0 || panels > 4 * threads);
}

int multiply_panels(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads) {
    Py_ssize_t windows = windows_of(of), count = count_panels(of), steps = of->high * of->wide * of->channels;
    int is_by_channel = weight->kind == OWN;
    double work = (double)windows * (double)steps * (is_by_channel ? BY_CHANNEL : (double)of->filters);
    if (threads < 2 || !team->parallel || work < ALONE)
        return is_by_channel ? multiply_by_channel(of, weight->panels, out, 0, windows)
                             : multiply(of, weight, out, 0, windows, 0, count);
    Py_ssize_t elements = of->images * of->height * of->width * of->channels;
    Shared all = {of, weight, out, team, windows, count, 0, 0};
    int is_heavy = !weight->panels || of->filters * steps > elements;
    all.is_by_panels = !is_by_channel && is_heavy && are_even(count, threads);
    team->parallel(share, &all, (unsigned)threads, 0);
    return !all.failed;
}

int multiply_once(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads) {
    int is_alone = threads < 2 || !team->parallel;
    Py_ssize_t size = weight->spots * weight->channels * (weight->kind == OWN ? 1 : whole_filters(weight->filters));
    /* Where a part is needed once; images that were brought into order want the panels in one part. */
    int may_wait = weight->kind != OWN && of->together == weight->together && windows_of(of) <= AT_ONCE;
    int are_few = weight->kind == MATRIX && windows_of(of) <= FEW;
    if (may_wait && (is_alone || are_few || are_even(count_panels(of), threads)))
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
int have_fast_panels(void) { return 0; }
int multiply_panels(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads) { return 0; }
int multiply_once(const Convolution *of, const Weight *weight, float *out, const Team *team, int threads) { return 0; }
#endif
