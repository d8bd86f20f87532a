/* Weights brought into the panels that `_panels.c` reads, and out of them.

   Eight numbers of eight filters each are read as they lie one behind the other, and turned in registers. What belongs to
   a few channels is brought over for all filters of a panel before the next: lines of the panel are complete while they
   are in the cache. */
#include "_packing.h"

#if HAS_VECTORS
enum { ENOUGH = 64, MUCH = 1 << 16, AHEAD = 1 };
/* Numbers of a filter that are read in a row, where its windows are small; numbers that several threads share; runs before
   which the next ones are asked for. */

/* How many channels' numbers of a filter are read in a row. */
static Py_ssize_t channels_of_run(const Weight *of) {
    return of->kind == TURNED ? 1 : least(of->together, of->spots >= TURNED_AT_ONCE ? TURNED_AT_ONCE : ENOUGH);
}

Py_ssize_t length_of_places(const Weight *of) { return channels_of_run(of) * of->spots; }

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
        for (Py_ssize_t count; has_wide_vectors && f + TURNED_AT_ONCE <= filters; f += count) {
            const float *some = from + f * step, *scale = factors ? factors + f : NULL;
            Py_ssize_t n = 0;
            count = has_widest_vectors && f + 2 * TURNED_AT_ONCE <= filters ? 2 * TURNED_AT_ONCE : TURNED_AT_ONCE;
            for (; n + TURNED_AT_ONCE <= length; n += TURNED_AT_ONCE) {
                for (Py_ssize_t r = 0; r < count; r++) __builtin_prefetch(some + r * step + AHEAD * further + n);
                (count > TURNED_AT_ONCE ? turn_sixteen : turn)(some + n, step, scale, to + f, places + n, apart);
            }
            move_some(some, step, n, length, count, scale, to + f, places, apart);
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

#else
int pack_panels(const Weight *of, const Team *team, int threads) { return 0; }
void unpack_panels(const Weight *of) {}
#endif
