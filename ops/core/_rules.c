/* Gradient rules that are arithmetic alone, but for a sigmoid and a choice: short programs, which arithmetic.py writes.
Forms of the two operators that other rules mostly end with, as plans call them: sums of what was broadcast, and slopes.

A program runs over a gradient and what was saved in one pass, a block at a time, with the operations that NumPy's
functions would do one by one, so with the same bits. Where an operand was broadcast, rows of what it gives are summed, of
small arrays; large ones are shared among threads.
*/
#include "_team.h"
#include "_vectors.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { GRADIENT, SAVED, NUMBER, PLUS, MINUS, TIMES, DIVIDED, NEGATED, GREATER, CHOSEN, SIGMOID }; /* as arithmetic.py counts */
enum { BLOCK = 512, DEPTH = 6, MOST_STEPS = 40, MOST_NUMBERS = 12, MOST_SAVED = 8 };
enum { MOST_RULED = 1 << 15, LEAST_ROW = 8 }; /* elements: of a gradient that is summed, of a row of what was broadcast */

/* What a program is given: where the arrays begin, and after how many elements they begin again. */
typedef struct {
    const char *gradient, *saved[MOST_SAVED];
    Py_ssize_t period[MOST_SAVED]; /* 0 where nothing is there that a program may use */
    double numbers[MOST_NUMBERS];
    Py_ssize_t numbers_count;
    PyObject *lies; /* an array in whose order the elements lie */
    int is_one;     /* the gradient is one number, repeated: it stands among the numbers, here */
    Py_ssize_t one;
} Operands;

#define EACH(EXPRESSION) \
    for (Py_ssize_t n = 0; n < count; n++) to[n] = EXPRESSION; \
    break;

/* Runs a program over some elements from `first` on, which are within one period of every array. */
#define RUN(NAME, T, SIGMOID_OF) \
    INLINE void NAME##_body(const Operands *given, const unsigned char *steps, Py_ssize_t length, Py_ssize_t first, \
                            Py_ssize_t count, const void *filled, T *out) { \
        T blocks[DEPTH][BLOCK]; \
        const T *numbers = filled; \
        const T *stack[DEPTH]; \
        int depth = 0; \
        for (Py_ssize_t step = 0; step < length; step += 2) { \
            int which = steps[step], place = steps[step + 1]; \
            if (which == GRADIENT) stack[depth++] = (const T *)given->gradient + first; \
            else if (which == SAVED) stack[depth++] = (const T *)given->saved[place] + first % given->period[place]; \
            else if (which == NUMBER) stack[depth++] = numbers + place * BLOCK; \
            else { \
                depth -= which == CHOSEN ? 2 : which != NEGATED && which != SIGMOID; \
                const T *x = stack[depth - 1], *y = which == NEGATED || which == SIGMOID ? x : stack[depth]; \
                const T *z = which == CHOSEN ? stack[depth + 1] : x; \
                T *to = step + 2 == length ? out : blocks[depth - 1]; \
                switch (which) { \
                case PLUS: EACH(x[n] + y[n]) \
                case MINUS: EACH(x[n] - y[n]) \
                case TIMES: EACH(x[n] * y[n]) \
                case DIVIDED: EACH(x[n] / y[n]) \
                case GREATER: EACH((T)(x[n] > y[n])) \
                case CHOSEN: EACH(x[n] != 0 ? y[n] : z[n]) \
                case SIGMOID: \
                    SIGMOID_OF(x, to, count); \
                    break; \
                default: EACH(-x[n]) \
                } \
                stack[depth - 1] = to; \
            } \
        } \
        if (stack[0] != out) memcpy(out, stack[0], sizeof(T) * (size_t)count); \
    } \
    THREE_WAYS(NAME, (const Operands *given, const unsigned char *steps, Py_ssize_t length, Py_ssize_t first, \
                      Py_ssize_t count, const void *filled, T *out), (given, steps, length, first, count, filled, out))

RUN(run_f, float, sigmoid_of_floats)
RUN(run_d, double, sigmoid_of_doubles)

/* Adds up rows, one after the other as NumPy does along the first dimension. */
#define SUM_ROWS(NAME, T) \
    INLINE void NAME##_body(const T *x, Py_ssize_t rows, Py_ssize_t width, T *restrict out) { \
        memcpy(out, x, sizeof(T) * (size_t)width); \
        for (Py_ssize_t row = 1; row < rows; row++) { \
            x += width; \
            for (Py_ssize_t n = 0; n < width; n++) out[n] += x[n]; \
        } \
    } \
    TWO_WAYS(NAME, (const T *x, Py_ssize_t rows, Py_ssize_t width, T *out), (x, rows, width, out))

SUM_ROWS(sum_rows_f, float)
SUM_ROWS(sum_rows_d, double)

#define PLUS_ARRAYS(NAME, T) \
    INLINE void NAME##_body(const T *x, const T *y, Py_ssize_t count, T *restrict out) { \
        for (Py_ssize_t n = 0; n < count; n++) out[n] = x[n] + y[n]; \
    } \
    TWO_WAYS(NAME, (const T *x, const T *y, Py_ssize_t count, T *out), (x, y, count, out))

PLUS_ARRAYS(plus_f, float)
PLUS_ARRAYS(plus_d, double)

/* Whether sizes, without leading ones, are the last ones of an array's: their product, or 0 where they are not. */
static Py_ssize_t period_of(const Py_ssize_t *sizes, int count, const Array *in) {
    while (count && *sizes == 1) sizes++, count--;
    if (count > in->dimensions_count) return 0;
    Py_ssize_t product = 1;
    for (int n = 0; n < count; n++) {
        if (sizes[n] != in->dimensions[in->dimensions_count - count + n]) return 0;
        product *= sizes[n];
    }
    return product;
}

/* Whether a program keeps to what is there, and leaves one thing on the stack; tells the least period that it uses. */
static int is_sound(const unsigned char *steps, Py_ssize_t length, const Operands *given, Py_ssize_t numbers,
                    Py_ssize_t *least) {
    int depth = 0;
    if (length < 2 || length % 2 || length > 2 * MOST_STEPS) return 0;
    for (Py_ssize_t step = 0; step < length; step += 2) {
        int which = steps[step], place = steps[step + 1];
        if (which > SIGMOID || (which == NUMBER && place >= numbers)) return 0;
        if (which == SAVED) {
            if (place >= MOST_SAVED || !given->period[place]) return 0;
            if (given->period[place] < *least) *least = given->period[place];
        }
        if (which <= NUMBER) depth++;
        else if (which == CHOSEN) depth -= 2;
        else if (which != NEGATED && which != SIGMOID) depth--;
        if (depth < 1 || depth > DEPTH) return 0;
    }
    return depth == 1;
}

/* The numbers of the programs, by the attributes where they are these. */
static int read_numbers(PyObject *numbers, PyObject *attrs, Operands *given) {
    Py_ssize_t count = PyTuple_GET_SIZE(numbers);
    if (count > MOST_NUMBERS) return 0;
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *one = PyTuple_GET_ITEM(numbers, n);
        if (PyFloat_CheckExact(one)) given->numbers[n] = PyFloat_AS_DOUBLE(one);
        else {
            if (!PyTuple_CheckExact(one) || PyTuple_GET_SIZE(one) != 2) return 0;
            int found = number_attribute(attrs, PyTuple_GET_ITEM(one, 0), given->numbers + n);
            if (found < 0) return 0;
            if (!found) given->numbers[n] = PyFloat_AS_DOUBLE(PyTuple_GET_ITEM(one, 1));
        }
        if (!(fabs(given->numbers[n]) < 3e38)) return 0; /* what float32 holds */
    }
    given->numbers_count = count;
    return 1;
}

/* A program in which numbers that meet are one, as the dtype has it, and so is a gradient of one number: its length. */
static Py_ssize_t fold_numbers(const unsigned char *steps, Py_ssize_t length, int kind, Operands *given, unsigned char *to) {
    Py_ssize_t at = 0;
    for (Py_ssize_t step = 0; step < length; step += 2) {
        int which = steps[step], are_numbers = at >= 4 && to[at - 2] == NUMBER && to[at - 4] == NUMBER;
        to[at++] = steps[step], to[at++] = steps[step + 1];
        if (which == GRADIENT && given->is_one) to[at - 2] = NUMBER, to[at - 1] = (unsigned char)given->one;
        if (!are_numbers || which < PLUS || which > DIVIDED || given->numbers_count >= MOST_NUMBERS) continue;
        double x = given->numbers[to[at - 5]], y = given->numbers[to[at - 3]];
        double *found = given->numbers + given->numbers_count;
        if (kind == FLOAT32) {
            float a = (float)x, b = (float)y;
            *found = which == PLUS ? a + b : which == MINUS ? a - b : which == TIMES ? a * b : a / b;
        } else *found = which == PLUS ? x + y : which == MINUS ? x - y : which == TIMES ? x * y : x / y;
        at -= 4;
        to[at - 2] = NUMBER, to[at - 1] = (unsigned char)given->numbers_count++;
    }
    return at;
}

/* The sizes that a tuple has; -1 where it is something else. */
static int read_sizes(PyObject *shape, Py_ssize_t *sizes) {
    if (!PyTuple_CheckExact(shape) || PyTuple_GET_SIZE(shape) > MOST_DIMENSIONS) return -1;
    int count = (int)PyTuple_GET_SIZE(shape);
    for (int n = 0; n < count; n++)
        if (integer_in(PyTuple_GET_ITEM(shape, n), sizes + n) <= 0) return -1;
    return count;
}

/* A program over a whole gradient. */
typedef struct {
    const Operands *given;
    const unsigned char *steps;
    Py_ssize_t length, least; /* of the program; the least period that it uses */
    int kind;
    char *out;
} Whole;

static void some_of_gradient(void *of, Py_ssize_t begin, Py_ssize_t end) {
    Whole *all = of;
    union {
        float f[MOST_NUMBERS * BLOCK];
        double d[MOST_NUMBERS * BLOCK];
    } filled; /* with numbers, as operands */
    Py_ssize_t most = end - begin < BLOCK ? end - begin : BLOCK;
    for (Py_ssize_t number = 0; number < all->given->numbers_count; number++)
        for (Py_ssize_t n = 0; n < most; n++)
            if (all->kind == FLOAT32) filled.f[number * BLOCK + n] = (float)all->given->numbers[number];
            else filled.d[number * BLOCK + n] = all->given->numbers[number];
    for (Py_ssize_t first = begin; first < end;) {
        Py_ssize_t some = all->least - first % all->least < BLOCK ? all->least - first % all->least : BLOCK;
        if (some > end - first) some = end - first;
        if (all->kind == FLOAT32) run_f(all->given, all->steps, all->length, first, some, filled.f, (float *)(void *)all->out + first);
        else run_d(all->given, all->steps, all->length, first, some, filled.d, (double *)(void *)all->out + first);
        first += some;
    }
}

/* One number that stands for as many as an array has. */
static PyObject *repeated(double value, int kind, const Array *as) {
    static const Py_ssize_t steps[MOST_DIMENSIONS];
    PyObject *one = new_array(kind, 0, NULL);
    if (!one) return NULL;
    float narrow = (float)value;
    if (kind == FLOAT32) memcpy(((Array *)one)->data, &narrow, sizeof narrow);
    else memcpy(((Array *)one)->data, &value, sizeof value);
    ((Array *)one)->flags &= ~WRITEABLE;
    PyObject *view = new_view(one, as->dimensions_count, as->dimensions, steps, ((Array *)one)->data);
    Py_DECREF(one);
    return view;
}

/* The gradient of one operand: a new reference, NULL with an error, NotImplemented where Python has to. */
static PyObject *one_gradient(PyObject *program, Operands *given, Py_ssize_t numbers, PyObject *saved, PyObject *g,
                              int sums) {
    Array *gradient = (Array *)g;
    int kind = kind_of(gradient->dtype), count = gradient->dimensions_count;
    Py_ssize_t sizes[MOST_DIMENSIONS], size = size_of(g), own = size, least = size;
    if (!PyTuple_CheckExact(program) || PyTuple_GET_SIZE(program) != 2 || !PyBytes_CheckExact(PyTuple_GET_ITEM(program, 0)))
        return declined_form();
    PyObject *code = PyTuple_GET_ITEM(program, 0);
    const unsigned char *steps = (const unsigned char *)PyBytes_AS_STRING(code);
    Py_ssize_t length = PyBytes_GET_SIZE(code), place;
    if (integer_in(PyTuple_GET_ITEM(program, 1), &place) <= 0 || place >= PyTuple_GET_SIZE(saved)
        || !is_sound(steps, length, given, numbers, &least))
        return declined_form();
    int is_same = place < 0;
    if (!is_same) {
        count = read_sizes(PyTuple_GET_ITEM(saved, place), sizes);
        if (count < 0 || !(own = period_of(sizes, count, gradient))) return declined_form();
        is_same = count == gradient->dimensions_count && own == size;
        for (int n = 0; is_same && n < count; n++) is_same = sizes[n] == gradient->dimensions[n];
    }
    int is_gradient = length == 2 && *steps == GRADIENT;
    if (is_gradient && is_same) return Py_NewRef(g);
    if ((!is_same && (!sums || own < 2)) || (least < size && least < LEAST_ROW)) return declined_form();
    int is_plain = given->is_one || is_plain_array(g);
    if ((size > MOST_RULED && !(is_same && has_wide_vectors)) || ((!is_plain || given->is_one) && !is_same)) return declined_form();
    unsigned char folded[2 * MOST_STEPS];
    length = fold_numbers(steps, length, kind, given, folded);
    if (length == 2 && *folded == NUMBER && given->is_one)
        return repeated(given->numbers[folded[1]], kind, gradient);
    if (given->is_one && !given->lies) return declined_form();
    PyObject *all = is_gradient ? Py_NewRef(g) : given->lies ? new_array_like(kind, given->lies)
        : own < size || place < 0 ? new_array(kind, gradient->dimensions_count, gradient->dimensions)
                                  : new_array(kind, count, sizes);
    if (!all) return NULL;
    char *out = ((Array *)all)->data;
    Whole whole = {given, folded, length, least, kind, out};
    if (!is_gradient && run_parts(some_of_gradient, &whole, size, 3 * size * sizes_by_kind[kind]) < 0) Py_CLEAR(all);
    if (!all) return NULL;
    if (own < size || is_gradient) { /* of fewer elements, or of other dimensions */
        PyObject *sum = new_array(kind, count, sizes);
        if (sum && kind == FLOAT32) sum_rows_f((float *)out, size / own, own, (float *)((Array *)sum)->data);
        else if (sum) sum_rows_d((double *)out, size / own, own, (double *)((Array *)sum)->data);
        Py_DECREF(all);
        if (!(all = sum)) return NULL;
    }
    return all;
}

/* Whether the elements of two arrays of one size lie in the same order, where one of them fills its memory. */
static int lies_alike(const Array *x, const Array *dense) {
    if (x->dimensions_count != dense->dimensions_count || !(x->flags & ALIGNED)) return 0;
    for (int n = 0; n < x->dimensions_count; n++)
        if (x->dimensions[n] != dense->dimensions[n] || (x->dimensions[n] > 1 && x->strides[n] != dense->strides[n])) return 0;
    return 1;
}

/* Whether an array of several elements has one number for all of them. */
static int is_repeated(const Array *x) {
    if (!(x->flags & ALIGNED)) return 0;
    for (int n = 0; n < x->dimensions_count; n++)
        if (x->dimensions[n] > 1 && x->strides[n]) return 0;
    return 1;
}

/* The first of what was saved that has the dtype and sizes of the gradient and fills its memory. */
static PyObject *saved_alike(PyObject *saved, const Array *gradient, int kind) {
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(saved); n++) {
        Array *one = (Array *)PyTuple_GET_ITEM(saved, n);
        if (Py_TYPE(one) != array_type || one->dtype != gradient->dtype || one->dimensions_count != gradient->dimensions_count
            || !is_dense_array((PyObject *)one, sizes_by_kind[kind])) continue;
        int n_alike = 0;
        while (n_alike < one->dimensions_count && one->dimensions[n_alike] == gradient->dimensions[n_alike]) n_alike++;
        if (n_alike == one->dimensions_count) return (PyObject *)one;
    }
    return NULL;
}

/* `rule_gradients` of a gradient that lies as what was saved, or otherwise than anything. */
static int gradients_of(PyObject *compiled, PyObject *g, PyObject *saved, PyObject *attrs, PyObject *const *edges,
                        Py_ssize_t count, int sums, PyObject **found) {
    if (!arrays_can_be_made() || !PyTuple_CheckExact(compiled) || PyTuple_GET_SIZE(compiled) != 4 ||
        Py_TYPE(g) != array_type) return 0;
    Array *gradient = (Array *)g;
    int kind = kind_of(gradient->dtype), is_plain = is_plain_array(g), is_one = 0;
    if (kind == NO_KIND) return 0;
    Py_ssize_t size = size_of(g);
    if (!is_dense_array(g, sizes_by_kind[kind]) && !(is_one = is_repeated(gradient))) return 0;
    PyObject *programs = PyTuple_GET_ITEM(compiled, 0), *numbers = PyTuple_GET_ITEM(compiled, 1);
    PyObject *nothing = PyTuple_GET_ITEM(compiled, 2);
    if ((kind != FLOAT32 && kind != FLOAT64) || size < 1 || !PyTuple_CheckExact(programs)
        || PyTuple_GET_SIZE(programs) != count || !PyTuple_CheckExact(numbers) || !PyBytes_CheckExact(nothing)
        || !PyDict_CheckExact(attrs) || (PyTuple_GET_ITEM(compiled, 3) == Py_True && PyDict_GET_SIZE(attrs)))
        return 0;
    Operands given = {.gradient = gradient->data, .is_one = is_one, .lies = is_plain ? NULL : g};
    if (!read_numbers(numbers, attrs, &given)) return 0;
    if (is_one) {
        if (given.numbers_count == MOST_NUMBERS) return 0;
        given.one = given.numbers_count++;
        given.numbers[given.one] = kind == FLOAT32 ? *(float *)(void *)gradient->data : *(double *)(void *)gradient->data;
        given.lies = saved_alike(saved, gradient, kind);
        is_plain = !given.lies || is_plain_array(given.lies);
    }
    const Array *lies = (Array *)(given.lies ? given.lies : g);
    for (Py_ssize_t n = 0; n < PyBytes_GET_SIZE(nothing); n++) {
        Py_ssize_t place = (unsigned char)PyBytes_AS_STRING(nothing)[n];
        if (place >= PyTuple_GET_SIZE(saved) || PyTuple_GET_ITEM(saved, place) != Py_None) return 0;
    }
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(saved) && n < MOST_SAVED; n++) {
        PyObject *one = PyTuple_GET_ITEM(saved, n);
        if (Py_TYPE(one) != array_type || ((Array *)one)->dtype != gradient->dtype) continue;
        if (is_plain ? !is_plain_array(one) : !lies_alike((Array *)one, lies)) continue;
        given.saved[n] = ((Array *)one)->data;
        given.period[n] = is_plain ? period_of(((Array *)one)->dimensions, ((Array *)one)->dimensions_count, gradient) : size;
    }
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *program = PyTuple_GET_ITEM(programs, n);
        found[n] = edges[n] == Py_None || program == Py_None
            ? Py_NewRef(Py_None) : one_gradient(program, &given, PyTuple_GET_SIZE(numbers), saved, g, sums);
        if (found[n] && found[n] != Py_NotImplemented) continue;
        int ended = found[n] ? 0 : -1;
        for (; n >= 0; n--) Py_CLEAR(found[n]);
        return ended;
    }
    return 1;
}

int rule_gradients(PyObject *compiled, PyObject *g, PyObject *saved, PyObject *attrs, PyObject *const *edges,
                   Py_ssize_t count, int sums, PyObject **found) {
    Array *gradient = (Array *)g;
    int kind = Py_TYPE(g) == array_type && gradient->dimensions_count > 1 ? kind_of(gradient->dtype) : NO_KIND;
    PyObject *like = kind == FLOAT32 && PyTuple_CheckExact(saved) && is_dense_array(g, sizeof(float))
        ? saved_alike(saved, gradient, kind) : NULL;
    if (!like || lies_alike(gradient, (Array *)like))
        return gradients_of(compiled, g, saved, attrs, edges, count, sums, found);
    PyObject *turned = lying_as(g, like); /* as images with their channels side by side, and others without */
    if (!turned) return -1;
    int ended = turned == Py_NotImplemented ? 0 : gradients_of(compiled, turned, saved, attrs, edges, count, sums, found);
    Py_DECREF(turned);
    return ended;
}

typedef struct {
    const char *x, *y;
    char *out;
    int kind;
} Sum;

static void some_of_sum(void *of, Py_ssize_t begin, Py_ssize_t end) {
    Sum *all = of;
    Py_ssize_t at = begin * sizes_by_kind[all->kind];
    void *out = all->out + at;
    if (all->kind == FLOAT32) plus_f((const float *)(const void *)(all->x + at), (const void *)(all->y + at), end - begin, out);
    else plus_d((const double *)(const void *)(all->x + at), (const void *)(all->y + at), end - begin, out);
}

PyObject *sum_of_arrays(PyObject *one, PyObject *other) {
    Array *x = (Array *)one, *y = (Array *)other;
    int kind = Py_TYPE(one) == array_type && Py_TYPE(other) == array_type && x->dtype == y->dtype ? kind_of(x->dtype) : NO_KIND;
    if (arrays_can_be_made() && (kind == FLOAT32 || kind == FLOAT64) && x->dimensions_count &&
        is_dense_array(one, sizes_by_kind[kind]) && lies_alike(y, x) && (has_wide_vectors || size_of(one) <= MOST_RULED)) {
        PyObject *sum = new_array_like(kind, one);
        if (!sum) return NULL;
        Sum all = {x->data, y->data, ((Array *)sum)->data, kind};
        Py_ssize_t size = size_of(one);
        if (run_parts(some_of_sum, &all, size, 3 * size * sizes_by_kind[kind]) < 0) Py_CLEAR(sum);
        return sum;
    }
    Quiet quiet;
    if (hush(&quiet, 0) < 0) return NULL;
    PyObject *sum = PyNumber_Add(one, other);
    if (speak(&quiet) < 0) Py_CLEAR(sum);
    return sum;
}

/* Forms */

/* The sum of x to the last of its sizes, which `shape` or `like` has. */
static PyObject *sum_to_shape(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t sizes[MOST_DIMENSIONS], named = 0;
    if (count < 1 || count > 2 || !is_plain_array(inputs[0])) return declined_form();
    Array *x = (Array *)inputs[0];
    if (count == 2 && inputs[1] != Py_None) {
        Array *like = (Array *)inputs[1];
        if (Py_TYPE(inputs[1]) != array_type || like->dimensions_count > MOST_DIMENSIONS) return declined_form();
        named = like->dimensions_count;
        for (int n = 0; n < named; n++) sizes[n] = like->dimensions[n];
    } else if (integers_attribute(attrs, name_shape, sizes, &named) <= 0) return declined_form();
    int kind = kind_of(x->dtype);
    Py_ssize_t size = size_of(inputs[0]), own = size > 0 ? period_of(sizes, (int)named, x) : 0;
    if ((kind != FLOAT32 && kind != FLOAT64) || size > MOST_RULED || own < LEAST_ROW || own == size) return declined_form();
    PyObject *sum = new_array(kind, (int)named, sizes);
    if (!sum) return NULL;
    void *out = ((Array *)sum)->data;
    if (kind == FLOAT32) sum_rows_f((float *)(void *)x->data, size / own, own, out);
    else sum_rows_d((double *)(void *)x->data, size / own, own, out);
    return sum;
}

/* g * inside where low < x < high, g * outside elsewhere; an infinite end is none. */
#define SLOPE(NAME, T) \
    INLINE void NAME##_body(const T *g, const T *x, T *restrict out, Py_ssize_t count, const double *numbers) { \
        T low = (T)numbers[0], high = (T)numbers[1], inside = (T)numbers[2], outside = (T)numbers[3]; \
        int is_high = high < (T)INFINITY, is_low = low > (T)-INFINITY || !is_high; /* which ends are looked at */ \
        for (Py_ssize_t n = 0; n < count; n++) \
            out[n] = g[n] * (((x[n] > low) | !is_low) & ((x[n] < high) | !is_high) ? inside : outside); \
    } \
    TWO_WAYS(NAME, (const T *g, const T *x, T *out, Py_ssize_t count, const double *numbers), (g, x, out, count, numbers))

SLOPE(slope_f, float)
SLOPE(slope_d, double)

typedef struct {
    const char *g, *x;
    char *out;
    int kind;
    double numbers[4];
} Slopes;

static void some_slopes(void *of, Py_ssize_t begin, Py_ssize_t end) {
    Slopes *all = of;
    Py_ssize_t at = begin * sizes_by_kind[all->kind];
    const void *g = all->g + at, *x = all->x + at;
    if (all->kind == FLOAT32) slope_f(g, x, (void *)(all->out + at), end - begin, all->numbers);
    else slope_d(g, x, (void *)(all->out + at), end - begin, all->numbers);
}

static PyObject *slope_between(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Slopes all = {.numbers = {-INFINITY, INFINITY, 1.0, 0.0}};
    PyObject *names[4] = {name_low, name_high, name_inside, name_outside};
    if (count != 2 || Py_TYPE(inputs[0]) != array_type || Py_TYPE(inputs[1]) != array_type) return declined_form();
    Array *g = (Array *)inputs[0], *x = (Array *)inputs[1];
    int kind = all.kind = kind_of(g->dtype);
    if ((kind != FLOAT32 && kind != FLOAT64) || x->dtype != g->dtype || !is_dense_array(inputs[0], sizes_by_kind[kind]) ||
        !lies_alike(x, g)) return declined_form();
    Py_ssize_t size = size_of(inputs[0]);
    if (size < 1 || (size > MOST_RULED && !has_wide_vectors)) return declined_form();
    for (int n = 0; n < 4; n++)
        if (attrs && number_attribute(attrs, names[n], all.numbers + n) < 0) return declined_form();
    PyObject *result = new_array_like(kind, inputs[0]);
    if (!result) return NULL;
    all.g = g->data, all.x = x->data, all.out = ((Array *)result)->data;
    if (run_parts(some_slopes, &all, size, 3 * size * sizes_by_kind[kind]) < 0) Py_CLEAR(result);
    return result;
}

const FormEntry rule_forms[] = {
    {"sum_to_shape", sum_to_shape, NULL}, {"slope_between", slope_between, NULL}, {NULL, NULL, NULL}};
