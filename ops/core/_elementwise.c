/* Elementwise functions of one and two arrays, with the bits that NumPy's functions of these names give. Large ones are
shared among threads; what is declined of large floats, as every other element, is left to generated loops.

Additions, products, quotients and square roots are IEEE's, comparisons and bits are exact: there is one result.
*/
#include "_broadcast.h"
#include "_team.h"

#include <math.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* else floor and its like, which may tell that they rounded, take one number at a time */
#endif

typedef void (*UnaryLoop)(const void *, void *, Py_ssize_t);

#define UNARY(NAME, T, R, EXPRESSION) \
    INLINE void NAME##_body(const void *given, void *result, Py_ssize_t count) { \
        const T *restrict x = given; \
        R *restrict out = result; \
        for (Py_ssize_t n = 0; n < count; n++) { \
            T a = x[n]; \
            out[n] = (R)(EXPRESSION); \
        } \
    } \
    TWO_WAYS(NAME, (const void *given, void *result, Py_ssize_t count), (given, result, count))

#define BINARY(NAME, T, R, EXPRESSION) \
    INLINE void NAME##_body(const void *one, const void *other, void *result, Py_ssize_t count, int step_x, \
                            int step_y) { \
        const T *x = one, *y = other; \
        R *restrict out = result; \
        if (step_x && step_y) \
            for (Py_ssize_t n = 0; n < count; n++) { \
                T a = x[n], b = y[n]; \
                out[n] = (R)(EXPRESSION); \
            } \
        else if (step_x) { \
            T b = *y; \
            for (Py_ssize_t n = 0; n < count; n++) { \
                T a = x[n]; \
                out[n] = (R)(EXPRESSION); \
            } \
        } else { \
            T a = *x; \
            for (Py_ssize_t n = 0; n < count; n++) { \
                T b = y[n]; \
                out[n] = (R)(EXPRESSION); \
            } \
        } \
    } \
    TWO_WAYS(NAME, (const void *one, const void *other, void *result, Py_ssize_t count, int step_x, int step_y), \
             (one, other, result, count, step_x, step_y))

typedef unsigned char Truth;

#define OF_FLOATS(ONE, NAME, EXPRESSION_F, EXPRESSION_D) \
    ONE(NAME##_f, float, float, EXPRESSION_F) \
    ONE(NAME##_d, double, double, EXPRESSION_D)
#define OF_INTEGERS(ONE, NAME, EXPRESSION) /* of unsigned numbers, which may overflow */ \
    ONE(NAME##_l, uint64_t, uint64_t, EXPRESSION) \
    ONE(NAME##_i, uint32_t, uint32_t, EXPRESSION)
#define OF_ALL(NAME, EXPRESSION) \
    BINARY(NAME##_f, float, Truth, EXPRESSION) \
    BINARY(NAME##_d, double, Truth, EXPRESSION) \
    BINARY(NAME##_l, int64_t, Truth, EXPRESSION) \
    BINARY(NAME##_i, int32_t, Truth, EXPRESSION) \
    BINARY(NAME##_b, Truth, Truth, EXPRESSION)

OF_FLOATS(BINARY, add, a + b, a + b)
OF_FLOATS(BINARY, subtract, a - b, a - b)
OF_FLOATS(BINARY, multiply, a * b, a * b)
OF_FLOATS(BINARY, divide, a / b, a / b)
OF_FLOATS(BINARY, maximum, a > b || a != a ? a : b, a > b || a != a ? a : b)
OF_FLOATS(BINARY, minimum, a < b || a != a ? a : b, a < b || a != a ? a : b)
OF_INTEGERS(BINARY, add, a + b)
OF_INTEGERS(BINARY, subtract, a - b)
OF_INTEGERS(BINARY, multiply, a * b)
OF_INTEGERS(BINARY, bitwise_and, a & b)
OF_INTEGERS(BINARY, bitwise_or, a | b)
OF_INTEGERS(BINARY, bitwise_xor, a ^ b)
BINARY(maximum_l, int64_t, int64_t, a > b ? a : b)
BINARY(maximum_i, int32_t, int32_t, a > b ? a : b)
BINARY(minimum_l, int64_t, int64_t, a < b ? a : b)
BINARY(minimum_i, int32_t, int32_t, a < b ? a : b)
BINARY(and_b, Truth, Truth, (a != 0) & (b != 0))
BINARY(or_b, Truth, Truth, (a | b) != 0)
BINARY(xor_b, Truth, Truth, (a != 0) ^ (b != 0))
/* Of integers, rounded down. No divisor is 0 or -1 when it is looked at; one that another thread of Python writes
   meanwhile gives some number, and does not end the process. */
#define DIVIDED(T, NAME) \
    INLINE T floored_##NAME(T a, T b) { \
        return b == 0 || b == -1 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)); \
    } \
    INLINE T left_##NAME(T a, T b) { \
        return b == 0 || b == -1 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0); \
    } \
    BINARY(floor_divide_##NAME, T, T, floored_##NAME(a, b)) \
    BINARY(remainder_##NAME, T, T, left_##NAME(a, b))
DIVIDED(int64_t, l)
DIVIDED(int32_t, i)
OF_ALL(equal, a == b)
OF_ALL(not_equal, a != b)
OF_ALL(less, a < b)
OF_ALL(less_equal, a <= b)
OF_ALL(greater, a > b)
OF_ALL(greater_equal, a >= b)

OF_FLOATS(UNARY, absolute, fabsf(a), fabs(a))
OF_FLOATS(UNARY, negative, -a, -a)
OF_FLOATS(UNARY, square, a * a, a * a)
OF_FLOATS(UNARY, reciprocal, 1.0f / a, 1.0 / a)
OF_FLOATS(UNARY, square_root, sqrtf(a), sqrt(a))
OF_FLOATS(UNARY, rsqrt, 1.0f / sqrtf(a), 1.0 / sqrt(a))
OF_FLOATS(UNARY, round, truncf(copysignf(0.5f, a) + a), trunc(copysign(0.5, a) + a))
OF_FLOATS(UNARY, floor, floorf(a), floor(a))
OF_FLOATS(UNARY, ceil, ceilf(a), ceil(a))
OF_FLOATS(UNARY, rint, rintf(a), rint(a))
OF_FLOATS(UNARY, sign, a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a, a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a)
UNARY(isnan_f, float, Truth, a != a)
UNARY(isnan_d, double, Truth, a != a)
UNARY(isinf_f, float, Truth, fabsf(a) == INFINITY)
UNARY(isinf_d, double, Truth, fabs(a) == (double)INFINITY)
UNARY(isfinite_f, float, Truth, fabsf(a) < INFINITY)
UNARY(isfinite_d, double, Truth, fabs(a) < (double)INFINITY)
UNARY(not_b, Truth, Truth, a == 0)
UNARY(not_l, uint64_t, uint64_t, ~a)
UNARY(not_i, uint32_t, uint32_t, ~a)

/* What a form is told: its loops by kind, NULL where NumPy computes; whether results are bools. */
typedef struct {
    UnaryLoop loops[BOOL + 1];
    int gives_truth;
} Unary;
typedef struct {
    BinaryLoop loops[BOOL + 1];
    int gives_truth, divides; /* `divides`: integers, many of which NumPy divides by one number by vectors */
} Binary;

/* The most elements that these loops are for, where vectors are as wide as NumPy's. */
static Py_ssize_t most_of(int is_numpys) { return is_numpys || !has_wide_vectors ? MOST_ELEMENTS : PY_SSIZE_T_MAX; }

/* A loop over one or two arrays, or each of their rows. */
typedef struct {
    UnaryLoop one;
    BinaryLoop two;
    const char *x, *y;
    char *out;
    Py_ssize_t item, item_out, rows, width, ahead_x, ahead_y; /* bytes; elements, of a single array's rows bytes */
    int step_x, step_y, divides, raised; /* `divides`: the kind of whole numbers that are divided; `raised`: by 0 or -1 */
} Lines;

/* Whether integers can be divided by all of these: a processor ends the process for a 0, and -1 may overflow. */
static int are_divisors(int kind, const char *numbers, Py_ssize_t count) {
    for (Py_ssize_t n = 0; n < count; n++) {
        int64_t divisor = kind == INT64 ? ((const int64_t *)(const void *)numbers)[n] : ((const int32_t *)(const void *)numbers)[n];
        if (divisor == 0 || divisor == -1) return 0;
    }
    return 1;
}

static void one_line(Lines *all, const char *x, const char *y, char *out, Py_ssize_t width) {
    if (all->divides && !are_divisors(all->divides, y, all->step_y ? width : 1)) all->raised = 1;
    else all->two(x, y, out, width, all->step_x, all->step_y);
}

/* Some of the rows; of the elements, where there is one row. */
static void some_lines(void *of, Py_ssize_t begin, Py_ssize_t end) {
    Lines *all = of;
    if (all->one && all->rows == 1) all->one(all->x + begin * all->item, all->out + begin * all->item_out, end - begin);
    else if (all->one)
        for (Py_ssize_t row = begin; row < end; row++)
            all->one(all->x + row * all->ahead_x, all->out + row * all->width * all->item_out, all->width);
    else if (all->rows == 1)
        one_line(all, all->x + begin * all->item * all->step_x, all->y + begin * all->item * all->step_y,
                 all->out + begin * all->item_out, end - begin);
    else
        for (Py_ssize_t row = begin; row < end; row++)
            one_line(all, all->x + row * all->ahead_x * all->item, all->y + row * all->ahead_y * all->item,
                     all->out + row * all->width * all->item_out, all->width);
}

/* The result of a loop; it declines where integers have a divisor that is NumPy's matter. */
static PyObject *run_lines(Lines *all, PyObject *result, Py_ssize_t bytes) {
    int failed = run_parts(some_lines, all, all->rows == 1 ? all->width : all->rows, bytes) < 0;
    if (!failed && !all->raised) return result;
    Py_DECREF(result);
    return failed ? NULL : declined_form();
}

static PyObject *one_array(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    const Unary *how = with;
    if (count != 1 || (attrs && PyDict_GET_SIZE(attrs)) || Py_TYPE(inputs[0]) != array_type) return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype);
    Py_ssize_t size = size_of(inputs[0]);
    if (kind < 0 || kind > BOOL || !how->loops[kind] || size > most_of(0)) return declined_form();
    int kind_out = how->gives_truth ? BOOL : kind, is_dense = is_dense_array(inputs[0], sizes_by_kind[kind]);
    Lines all = {.one = how->loops[kind], .x = x->data, .item = sizes_by_kind[kind], .item_out = sizes_by_kind[kind_out],
                 .rows = 1, .width = size};
    if (!is_dense) { /* rows with gaps between them, as `split` gives them */
        int rank = x->dimensions_count;
        if (rank < 2 || x->dimensions[rank - 1] < LEAST_WIDTH || !are_rows(x, rank - 1, all.item, &all.ahead_x))
            return declined_form();
        all.width = x->dimensions[rank - 1], all.rows = size / all.width;
    }
    PyObject *result = is_dense ? new_array_like(kind_out, inputs[0]) : new_array(kind_out, x->dimensions_count, x->dimensions);
    if (!result) return NULL;
    all.out = ((Array *)result)->data;
    return run_lines(&all, result, size * (all.item + all.item_out));
}

/* Whether the sizes of the shorter of both are the last ones of the other. */
static int is_behind(const Array *small, const Array *large) {
    int more = large->dimensions_count - small->dimensions_count;
    if (more < 0) return 0;
    for (int n = 0; n < small->dimensions_count; n++)
        if (small->dimensions[n] != large->dimensions[n + more]) return 0;
    return 1;
}

/* Whether it has a number for each row of the other. */
static int is_column(const Array *small, const Array *large) {
    int last = large->dimensions_count - 1;
    if (last < 1 || small->dimensions_count != last + 1 || small->dimensions[last] != 1) return 0;
    for (int n = 0; n < last; n++)
        if (small->dimensions[n] != large->dimensions[n]) return 0;
    return 1;
}

/* A number of Python's beside an array of floats or integers, which keeps its dtype: 1 where the dtype holds it. */
static int number_beside(int kind, PyObject *number, char *place) {
    double value;
    Py_ssize_t whole;
    if (kind == INT64 || kind == INT32) {
        if (integer_in(number, &whole) <= 0 || (kind == INT32 && (whole > INT32_MAX || whole < INT32_MIN))) return 0;
        int64_t wide = whole;
        int32_t narrow = (int32_t)whole;
        if (kind == INT64) memcpy(place, &wide, sizeof wide);
        else memcpy(place, &narrow, sizeof narrow);
        return 1;
    }
    if (PyFloat_CheckExact(number)) value = PyFloat_AS_DOUBLE(number);
    else if (integer_in(number, &whole) > 0 && whole < 1 << 24 && whole > -(1 << 24)) value = (double)whole;
    else return 0;
    if (kind == FLOAT64) memcpy(place, &value, sizeof value);
    else if (kind == FLOAT32 && (isinf(value) || isnan(value) || fabs(value) < 3e38)) {
        float single = (float)value;
        memcpy(place, &single, sizeof single);
    } else return 0;
    return 1;
}

static PyObject *two_arrays(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    const Binary *how = with;
    if (count != 2 || (attrs && PyDict_GET_SIZE(attrs)) || Py_TYPE(inputs[0]) != array_type) return declined_form();
    Array *x = (Array *)inputs[0], *y = (Array *)inputs[1], *larger = x;
    int kind = kind_of(x->dtype), step_x = 1, step_y = 1, by_rows = 0, is_plain = is_plain_array(inputs[0]);
    if (kind < 0 || kind > BOOL || !how->loops[kind]) return declined_form();
    Py_ssize_t size = is_plain ? size_of(inputs[0]) : 0, other = 1;
    char number[sizeof(double)];
    const char *second = number;
    PyObject *array = Py_TYPE(inputs[1]) == array_type ? inputs[1] : NULL;
    if (!array && !number_beside(kind, inputs[1], number)) return declined_form();
    if (is_plain && array && is_plain_array(array) && y->dtype == x->dtype) {
        other = size_of(inputs[1]);
        second = y->data;
        if (is_behind(y, x)) larger = x;
        else if (is_behind(x, y)) larger = y;
        else if ((by_rows = is_column(y, x))) step_y = 0;
        else if ((by_rows = is_column(x, y))) step_x = 0, larger = y;
        else is_plain = 0;
    } else is_plain &= !array;
    Py_ssize_t most = size > other ? size : other, least = size > other ? other : size;
    if (is_plain && most > most_of(how->divides && other == 1)) return declined_form();
    Py_ssize_t width = by_rows ? most / (least ? least : 1) : least, rows = width ? most / width : 0;
    if (least == 1 && most > 1 && !by_rows) { /* one number for all */
        step_x = size > 1, step_y = other > 1;
        width = most, rows = 1;
    }
    if (!is_plain || (rows > 1 && width < LEAST_WIDTH && most > MOST_ELEMENTS_WIDE)) {
        if (how->divides || !has_wide_vectors) return declined_form();
        return two_spread(how->loops[kind], kind, how->gives_truth ? BOOL : kind, inputs[0], array, number);
    }
    int kind_out = how->gives_truth ? BOOL : kind;
    PyObject *result = new_array(kind_out, larger->dimensions_count, larger->dimensions);
    if (!result || !most || !least) return result;
    Lines all = {.two = how->loops[kind], .x = x->data, .y = second, .out = ((Array *)result)->data,
                 .item = sizes_by_kind[kind], .item_out = sizes_by_kind[kind_out], .rows = rows, .width = width,
                 .ahead_x = by_rows && !step_x ? 1 : size == most ? width : 0,
                 .ahead_y = by_rows && !step_y ? 1 : other == most ? width : 0,
                 .step_x = step_x, .step_y = step_y, .divides = how->divides ? kind : 0};
    return run_lines(&all, result, (size + other) * all.item + most * all.item_out);
}

PyObject *product_of_elements(PyObject *x, PyObject *y) {
    static const Binary how = {{multiply_f, multiply_d, multiply_l, multiply_i, NULL}};
    PyObject *both[2] = {x, y};
    return two_arrays(&how, both, 2, NULL);
}

/* x * scale + bias, each rounded for itself; of whole numbers the lowest bits. */
#define SCALED(NAME, T, U) \
    INLINE void NAME##_body(const void *given, void *result, Py_ssize_t count, const void *of_scale, const void *of_bias, \
                            int how) { \
        const T *restrict x = given; \
        T *restrict out = result, scale, bias; \
        memcpy(&scale, of_scale, sizeof scale); \
        memcpy(&bias, of_bias, sizeof bias); \
        if (how == ADDED_TO) \
            for (Py_ssize_t n = 0; n < count; n++) out[n] = (T)((U)x[n] + (U)bias); \
        else if (how == MULTIPLIED) \
            for (Py_ssize_t n = 0; n < count; n++) out[n] = (T)((U)x[n] * (U)scale); \
        else if (how == ADDED_AFTER) \
            for (Py_ssize_t n = 0; n < count; n++) out[n] = (T)((U)((U)x[n] * (U)scale) + (U)bias); \
        else \
            for (Py_ssize_t n = 0; n < count; n++) out[n] = (T)((U)((U)x[n] + (U)bias) * (U)scale); \
    } \
    TWO_WAYS(NAME, (const void *given, void *result, Py_ssize_t count, const void *of_scale, const void *of_bias, int how), \
             (given, result, count, of_scale, of_bias, how))

enum { ADDED_TO, MULTIPLIED, ADDED_AFTER, ADDED_BEFORE };
SCALED(scaled_f, float, float)
SCALED(scaled_d, double, double)
SCALED(scaled_l, int64_t, uint64_t)
SCALED(scaled_i, int32_t, uint32_t)

/* A number of `scale` or `bias` as the dtype has it, and whether it is `usual`: 0 where that is left to the kernel. */
static int factor_in(PyObject *attrs, PyObject *name, int kind, double usual, char *place, int *is_usual) {
    PyObject *number = attrs ? PyDict_GetItemWithError(attrs, name) : NULL;
    double value = usual;
    if (!number) PyErr_Clear();
    else if (PyFloat_CheckExact(number)) value = PyFloat_AS_DOUBLE(number);
    else if (number_attribute(attrs, name, &value) < 0) { /* large, or no number */
        *is_usual = 0;
        return number_beside(kind, number, place);
    }
    *is_usual = value == usual;
    if (kind == INT64 || kind == INT32) { /* cut by the kernel where it is not whole */
        if (!(fabs(value) <= INT32_MAX) || trunc(value) != value) return 0;
        int64_t wide = (int64_t)value;
        int32_t narrow = (int32_t)value;
        if (kind == INT64) memcpy(place, &wide, sizeof wide);
        else memcpy(place, &narrow, sizeof narrow);
        return 1;
    }
    PyObject *as_float = PyFloat_FromDouble(value);
    if (!as_float) PyErr_Clear();
    int fits = as_float && number_beside(kind, as_float, place);
    Py_XDECREF(as_float);
    return fits;
}

/* `x * scale + bias` of an array. */
typedef struct {
    int kind, how;
    const char *x;
    char *out, scale[sizeof(double)], bias[sizeof(double)];
} Scaled;

static void some_scaled(void *of, Py_ssize_t begin, Py_ssize_t end) {
    Scaled *all = of;
    Py_ssize_t count = end - begin;
    const char *x = all->x + begin * sizes_by_kind[all->kind];
    char *out = all->out + begin * sizes_by_kind[all->kind];
    if (all->kind == FLOAT32) scaled_f(x, out, count, all->scale, all->bias, all->how);
    else if (all->kind == FLOAT64) scaled_d(x, out, count, all->scale, all->bias, all->how);
    else if (all->kind == INT64) scaled_l(x, out, count, all->scale, all->bias, all->how);
    else scaled_i(x, out, count, all->scale, all->bias, all->how);
}

static PyObject *scaled(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    int is_one, is_nothing, after = 1;
    if (count < 1 || count > 2 || (count == 2 && inputs[1] != Py_None) || Py_TYPE(inputs[0]) != array_type)
        return declined_form();
    Array *x = (Array *)inputs[0];
    Scaled all = {.kind = kind_of(x->dtype), .x = x->data};
    int kind = all.kind;
    Py_ssize_t size = size_of(inputs[0]);
    if (kind < 0 || kind > INT32 || !is_dense_array(inputs[0], sizes_by_kind[kind]) || size > most_of(0)
        || !factor_in(attrs, name_scale, kind, 1.0, all.scale, &is_one)
        || !factor_in(attrs, name_bias, kind, 0.0, all.bias, &is_nothing)
        || truth_attribute(attrs, name_bias_after_scale, &after) < 0)
        return declined_form();
    all.how = is_nothing ? MULTIPLIED : is_one ? ADDED_TO : after ? ADDED_AFTER : ADDED_BEFORE;
    PyObject *result = new_array_like(kind, inputs[0]);
    if (!result) return NULL;
    all.out = ((Array *)result)->data;
    if (run_parts(some_scaled, &all, size, 2 * size * sizes_by_kind[kind]) < 0) Py_CLEAR(result);
    return result;
}

#define FLOATS(NAME) {NAME##_f, NAME##_d, NULL, NULL, NULL}
#define NUMBERS(NAME) {NAME##_f, NAME##_d, NAME##_l, NAME##_i, NULL}
#define INTEGERS(NAME) {NULL, NULL, NAME##_l, NAME##_i, NULL}
#define KINDS(NAME) {NAME##_f, NAME##_d, NAME##_l, NAME##_i, NAME##_b}
#define BITS(NAME, OF_BOOLS) {NULL, NULL, NAME##_l, NAME##_i, OF_BOOLS}
#define ONE_ARRAY(NAME, ...) {NAME, one_array, &(const Unary){__VA_ARGS__}, 1}
#define TWO_ARRAYS(NAME, ...) {NAME, two_arrays, &(const Binary){__VA_ARGS__}, 1}

const FormEntry elementwise_forms[] = {
    TWO_ARRAYS("add", NUMBERS(add), 0), TWO_ARRAYS("subtract", NUMBERS(subtract), 0),
    TWO_ARRAYS("multiply", NUMBERS(multiply), 0), TWO_ARRAYS("divide", FLOATS(divide), 0),
    TWO_ARRAYS("true_divide", FLOATS(divide), 0), TWO_ARRAYS("maximum", NUMBERS(maximum), 0),
    TWO_ARRAYS("minimum", NUMBERS(minimum), 0), TWO_ARRAYS("bitwise_and", BITS(bitwise_and, and_b), 0),
    TWO_ARRAYS("bitwise_or", BITS(bitwise_or, or_b), 0), TWO_ARRAYS("bitwise_xor", BITS(bitwise_xor, xor_b), 0),
    TWO_ARRAYS("floor_divide", INTEGERS(floor_divide), 0, 1), TWO_ARRAYS("remainder", INTEGERS(remainder), 0, 1),
    TWO_ARRAYS("logical_and", {NULL, NULL, NULL, NULL, and_b}, 1),
    TWO_ARRAYS("logical_or", {NULL, NULL, NULL, NULL, or_b}, 1),
    TWO_ARRAYS("logical_xor", {NULL, NULL, NULL, NULL, xor_b}, 1),
    TWO_ARRAYS("equal", KINDS(equal), 1), TWO_ARRAYS("not_equal", KINDS(not_equal), 1),
    TWO_ARRAYS("less", KINDS(less), 1), TWO_ARRAYS("less_equal", KINDS(less_equal), 1),
    TWO_ARRAYS("greater", KINDS(greater), 1), TWO_ARRAYS("greater_equal", KINDS(greater_equal), 1),
    ONE_ARRAY("absolute", FLOATS(absolute), 0), ONE_ARRAY("negative", FLOATS(negative), 0),
    ONE_ARRAY("square", FLOATS(square), 0), ONE_ARRAY("sqrt", FLOATS(square_root), 0),
    ONE_ARRAY("reciprocal", FLOATS(reciprocal), 0), ONE_ARRAY("rsqrt", FLOATS(rsqrt), 0),
    ONE_ARRAY("round", FLOATS(round), 0), ONE_ARRAY("floor", FLOATS(floor), 0),
    ONE_ARRAY("ceil", FLOATS(ceil), 0), ONE_ARRAY("rint", FLOATS(rint), 0), ONE_ARRAY("sign", FLOATS(sign), 0),
    ONE_ARRAY("isnan", FLOATS(isnan), 1), ONE_ARRAY("isinf", FLOATS(isinf), 1),
    ONE_ARRAY("isfinite", FLOATS(isfinite), 1), ONE_ARRAY("logical_not", {NULL, NULL, NULL, NULL, not_b}, 1),
    ONE_ARRAY("bitwise_not", BITS(not, not_b), 0), ONE_ARRAY("invert", BITS(not, not_b), 0),
    {"scale", scaled, NULL, 1}, {NULL, NULL, NULL}};
