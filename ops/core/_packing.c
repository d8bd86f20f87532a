/* Weights brought into the panels that `_panels.c` reads, and out of them.

   Eight numbers of eight filters each are read as they lie one behind the other, and turned in registers. What belongs to
   a few channels is brought over for all filters of a panel before the next: lines of the panel are complete while they
   are in the cache. Images are turned in the same way, so that their channels lie side by side. */
#include "_packing.h"

#if HAS_VECTORS
#if HAS_TWO_WAYS
#include <immintrin.h>
#endif

enum { TOGETHER = 8, ENOUGH = 64, MUCH = 1 << 16, AHEAD = 4 };
/* Filters, and numbers of each, that are turned at once; numbers of a filter that are read in a row, where its windows are
   small; numbers that several threads share; rows before which the next ones are asked for. */

/* How many channels' numbers of a filter are read in a row. */
static Py_ssize_t channels_of_run(const Weight *of) {
    return of->kind == TURNED ? 1 : least(of->together, of->spots >= TOGETHER ? TOGETHER : ENOUGH);
}

Py_ssize_t length_of_places(const Weight *of) { return channels_of_run(of) * of->spots; }

#if HAS_TWO_WAYS
#define WIDE __attribute__((target("avx2")))

/* Eight numbers of each of eight filters, to rows `apart` from each other. */
WIDE static void turn(const float *from, Py_ssize_t step, const float *factors, float *to, const Py_ssize_t *places,
                      Py_ssize_t apart) {
    __m256 rows[8], halves[8], quarters[8], factor = _mm256_setzero_ps();
    ALL for (int n = 0; n < 8; n++) rows[n] = _mm256_loadu_ps(from + n * step);
    ALL for (int n = 0; n < 8; n += 2) {
        halves[n] = _mm256_unpacklo_ps(rows[n], rows[n + 1]);
        halves[n + 1] = _mm256_unpackhi_ps(rows[n], rows[n + 1]);
    }
    ALL for (int n = 0; n < 8; n += 4)
        ALL for (int m = 0; m < 2; m++) {
            quarters[n + 2 * m] = _mm256_shuffle_ps(halves[n + m], halves[n + m + 2], 0x44);
            quarters[n + 2 * m + 1] = _mm256_shuffle_ps(halves[n + m], halves[n + m + 2], 0xEE);
        }
    if (factors) factor = _mm256_loadu_ps(factors);
    ALL for (int n = 0; n < 4; n++) {
        __m256 low = _mm256_permute2f128_ps(quarters[n], quarters[n + 4], 0x20);
        __m256 high = _mm256_permute2f128_ps(quarters[n], quarters[n + 4], 0x31);
        if (factors) low = _mm256_mul_ps(low, factor), high = _mm256_mul_ps(high, factor);
        _mm256_storeu_ps(to + places[n] * apart, low);
        _mm256_storeu_ps(to + places[n + 4] * apart, high);
    }
}
#endif

/* Numbers of some filters one behind the other, from `begin` to `end`. */
static void move_some(const float *from, Py_ssize_t step, Py_ssize_t begin, Py_ssize_t end, Py_ssize_t filters,
                      const float *factors, float *to, const Py_ssize_t *places, Py_ssize_t apart) {
    for (Py_ssize_t f = 0; f < filters; f++, from += step)
        for (Py_ssize_t n = begin; n < end; n++) to[places[n] * apart + f] = factors ? factors[f] * from[n] : from[n];
}

void fill_part(const Weight *of, Py_ssize_t first, Py_ssize_t begin, Py_ssize_t channels, Py_ssize_t apart, float *to,
               Py_ssize_t *places) {
    Py_ssize_t spots = of->spots, filters = least(of->filters - first, apart);
    if (filters < apart) /* what fills the last vector up */
        for (Py_ssize_t row = 0; row < channels * spots; row++)
            memset(to + row * apart + filters, 0, (size_t)(apart - filters) * sizeof *to);
    if (of->kind == MATRIX || (of->kind == TURNED && spots == 1)) { /* neighbours stay neighbours */
        Py_ssize_t step = of->apart ? of->apart : of->filters;
        const float *from = of->weight + begin * step + first;
        for (Py_ssize_t c = 0; c < channels; c++, from += step, to += apart)
            memcpy(to, from, (size_t)filters * sizeof *to);
        return;
    }
    int is_turned = of->kind == TURNED;
    Py_ssize_t at_once = channels_of_run(of), step = is_turned ? spots : of->apart ? of->apart : of->channels * spots;
    Py_ssize_t further = is_turned ? of->filters * spots : at_once * spots; /* from run to run */
    const float *from = of->weight + first * step + (is_turned ? begin * further : begin * spots);
    const float *factors = of->factors ? of->factors + first : NULL;
    for (Py_ssize_t n = 0; n < at_once * spots; n++) {
        Py_ssize_t spot = n % spots;
        places[n] = (is_turned ? spots - 1 - spot : spot) * channels + n / spots;
    }
    for (Py_ssize_t done = 0; done < channels; done += at_once, from += further, to += at_once * apart) {
        Py_ssize_t length = least(at_once, channels - done) * spots, f = 0;
#if HAS_TWO_WAYS
        for (; has_wide_vectors && f + TOGETHER <= filters; f += TOGETHER) {
            const float *some = from + f * step, *scale = factors ? factors + f : NULL;
            Py_ssize_t n = 0;
            for (; n + TOGETHER <= length; n += TOGETHER) {
                for (Py_ssize_t r = 0; r < TOGETHER; r++) __builtin_prefetch(some + r * step + AHEAD * further + n);
                turn(some + n, step, scale, to + f, places + n, apart);
            }
            move_some(some, step, n, length, TOGETHER, scale, to + f, places, apart);
        }
#endif
        move_some(from + f * step, step, 0, length, filters - f, factors ? factors + f : NULL, to + f, places, apart);
    }
}

/* Filters of a channel each: a row for each element of a window. */
static void move_channels(const Weight *of, int is_out) {
    Py_ssize_t channels = of->channels, spots = of->spots;
    for (Py_ssize_t c = 0; c < channels; c++)
        for (Py_ssize_t s = 0; s < spots; s++)
            if (is_out) of->weight[c * spots + s] = of->panels[s * channels + c];
            else of->panels[s * channels + c] = (of->factors ? of->factors[c] : 1.0f) * of->weight[c * spots + s];
}

typedef struct {
    const Weight *of;
    const Team *team;
    int failed;
} Shared;

static void pack_share(Shared *all, Py_ssize_t number, Py_ssize_t threads) {
    const Weight *of = all->of;
    Py_ssize_t whole = whole_filters(of->filters), width = width_of_panels(), count = (whole + width - 1) / width;
    Py_ssize_t first = count * number / threads * width, last = least(count * (number + 1) / threads * width, whole);
    Py_ssize_t *places = PyMem_RawMalloc((size_t)length_of_places(of) * sizeof *places);
    if (!places) __atomic_store_n(&all->failed, 1, __ATOMIC_RELAXED);
    for (; places && first < last; first += width) {
        Py_ssize_t apart = least(whole - first, width), spots = of->spots;
        float *panel = of->panels + first * of->channels * spots;
        for (Py_ssize_t channel = 0; channel < of->channels; channel += of->together)
            fill_part(of, first, channel, least(of->together, of->channels - channel), apart,
                      panel + channel * spots * apart, places);
    }
    PyMem_RawFree(places);
}

static void share(void *data) {
    Shared *all = data;
    pack_share(all, all->team->number(), all->team->count());
}

int pack_panels(const Weight *of, const Team *team, int threads) {
    Shared all = {of, team, 0};
    if (of->kind == OWN) move_channels(of, 0);
    else if (team->parallel && threads > 1 && of->filters * of->channels * of->spots >= MUCH)
        team->parallel(share, &all, (unsigned)threads, 0);
    else pack_share(&all, 0, 1);
    return !all.failed;
}

void unpack_panels(const Weight *of) {
    Py_ssize_t whole = whole_filters(of->filters), width = width_of_panels(), spots = of->spots;
    if (of->kind == OWN) {
        move_channels(of, 1);
        return;
    }
    for (Py_ssize_t first = 0; first < of->filters; first += width) {
        Py_ssize_t apart = least(whole - first, width), filters = least(of->filters - first, apart);
        const float *row = of->panels + first * of->channels * spots;
        for (Py_ssize_t begin = 0; begin < of->channels; begin += of->together) {
            Py_ssize_t end = least(begin + of->together, of->channels);
            for (Py_ssize_t s = 0; s < spots; s++)
                for (Py_ssize_t c = begin; c < end; c++, row += apart) {
                    if (of->kind == MATRIX) memcpy(of->weight + c * of->filters + first, row, (size_t)filters * sizeof *row);
                    else
                        for (Py_ssize_t f = 0; f < filters; f++)
                            of->weight[((first + f) * of->channels + c) * spots + s] = row[f];
                }
        }
    }
}

/* Matrices one behind the other, whose rows become columns: some columns at a time, a line's width of many rows. */
typedef struct {
    const float *x;
    float *out;
    Py_ssize_t rows, columns, wide;
} Turned;

enum { LINE = 16, OF_FEW = 256 };

void turn_rows(const float *x, Py_ssize_t apart, Py_ssize_t rows, Py_ssize_t columns, float *out, Py_ssize_t step) {
    for (Py_ssize_t n = 0, wide; n < columns; n += wide) { /* some rows of the result are complete before the next ones */
        Py_ssize_t r = 0;
        wide = rows < TOGETHER ? columns : least(TOGETHER, columns - n);
#if HAS_TWO_WAYS
        static const Py_ssize_t places[TOGETHER] = {0, 1, 2, 3, 4, 5, 6, 7};
        for (; has_wide_vectors && wide == TOGETHER && r + TOGETHER <= rows; r += TOGETHER)
            turn(x + r * apart + n, apart, NULL, out + n * step + r, places, step);
#endif
        for (; r < rows; r++)
            for (Py_ssize_t m = n; m < n + wide; m++) memcpy(out + m * step + r, x + r * apart + m, sizeof *x);
    }
}

static void some_turned(void *data, Py_ssize_t begin, Py_ssize_t end) {
    const Turned *of = data;
    Py_ssize_t rows = of->rows, columns = of->columns, blocks = (columns + of->wide - 1) / of->wide;
    for (Py_ssize_t at = begin; at < end; at++) {
        Py_ssize_t first = at % blocks * of->wide;
        turn_rows(of->x + at / blocks * rows * columns + first, columns, rows, least(of->wide, columns - first),
                  of->out + (at / blocks * columns + first) * rows, rows);
    }
}

PyObject *turned_matrices(PyObject *module, PyObject *given) {
    const Array *x = (Array *)given;
    if (!is_plain_array(given) || x->dimensions_count != 3 || !size_of(given)) return declined_form();
    int kind = kind_of(x->dtype);
    if (kind == NO_KIND || sizes_by_kind[kind] != sizeof(float)) return declined_form();
    PyObject *result = new_array(kind, 3, (Py_ssize_t[]){x->dimensions[0], x->dimensions[2], x->dimensions[1]});
    if (!result) return NULL;
    Turned of = {(const float *)x->data, (float *)((Array *)result)->data, x->dimensions[1], x->dimensions[2], LINE};
    if (of.rows < TOGETHER) of.wide = OF_FEW;
    Py_ssize_t count = x->dimensions[0] * ((of.columns + of.wide - 1) / of.wide);
    if (run_parts(some_turned, &of, count, 2 * size_of(given) * (Py_ssize_t)sizeof *of.x) == 0) return result;
    Py_DECREF(result);
    return NULL;
}

#else
PyObject *turned_matrices(PyObject *module, PyObject *given) { return declined_form(); }
int pack_panels(const Weight *of, const Team *team, int threads) { return 0; }
void unpack_panels(const Weight *of) {}
#endif

const char turned_matrices_doc[] =
    "turned_matrices($module, x, /)\n--\n\n"
    "x [n, rows, columns], in order and of 4 bytes an element, as [n, columns, rows]; NotImplemented for other arrays.";
