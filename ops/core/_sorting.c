/* Order in short rows: sorted with positions, the first k, order statistics, different elements.

Rows are sorted by insertion: equal elements keep their order. Of a long row most elements come behind the last that is
kept, and are passed over by blocks. Large arrays are shared among threads. Where there is a NaN, NumPy or a generated
loop sorts.
*/
#include "_team.h"
#include "_vectors.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { LONGEST = 128, MOST_KEPT = 16 }; /* elements of a row that is sorted; the first k of a longer one */
enum { SHORT = 16, MOST_IN_SHORT_ROWS = 1 << 22 }; /* many short rows: what sets up buffers for each takes far longer */

enum { BLOCK = 32 };

/* How many elements at the row's beginning, whole blocks, come behind `last`; a NaN comes behind nothing. */
#define BEHIND(NAME, T) \
    INLINE void NAME##_body(const T *x, Py_ssize_t count, T last, int falls, Py_ssize_t *found) { \
        Py_ssize_t n = 0; \
        for (; n + BLOCK <= count; n += BLOCK) { \
            unsigned before = 0; \
            if (falls) \
                for (int m = 0; m < BLOCK; m++) before |= !(x[n + m] <= last); \
            else \
                for (int m = 0; m < BLOCK; m++) before |= !(x[n + m] >= last); \
            if (before) break; \
        } \
        *found = n; \
    } \
    TWO_WAYS(NAME, (const T *x, Py_ssize_t count, T last, int falls, Py_ssize_t *found), (x, count, last, falls, found))

/* Puts a row's positions in order into `order`, the first `kept` of them; 0 where there is a NaN. */
#define ORDER(NAME, T) \
    BEHIND(NAME##_behind, T) \
    static int NAME(const void *given, Py_ssize_t count, Py_ssize_t step, Py_ssize_t kept, int falls, int64_t *order) { \
        const T *x = given; \
        T last = 0; /* of those that are kept, once they are so many */ \
        Py_ssize_t filled = 0; \
        for (Py_ssize_t n = 0; n < count; n++) { \
            if (n % BLOCK == 0 && filled == kept && step == 1 && count > LONGEST) { \
                Py_ssize_t passed; \
                NAME##_behind(x + n, count - n, last, falls, &passed); \
                if ((n += passed) == count) break; \
            } \
            T a = x[n * step]; \
            if (a != a) return 0; \
            if (filled == kept && (falls ? a <= last : a >= last)) continue; \
            Py_ssize_t place = filled < kept ? filled++ : kept - 1, low = 0; \
            if (kept <= MOST_KEPT) \
                for (; place && (falls ? a > x[order[place - 1] * step] : a < x[order[place - 1] * step]); place--) \
                    order[place] = order[place - 1]; \
            else { \
                for (Py_ssize_t high = place; low < high;) { \
                    Py_ssize_t middle = (low + high) / 2; \
                    T b = x[order[middle] * step]; \
                    if (falls ? a > b : a < b) high = middle; \
                    else low = middle + 1; \
                } \
                memmove(order + low + 1, order + low, sizeof *order * (size_t)(place - low)); \
                place = low; \
            } \
            order[place] = n; \
            if (filled == kept) last = x[order[kept - 1] * step]; \
        } \
        return 1; \
    }

ORDER(order_f, float)
ORDER(order_d, double)
ORDER(order_l, int64_t)
ORDER(order_i, int32_t)
typedef int (*OrderOf)(const void *, Py_ssize_t, Py_ssize_t, Py_ssize_t, int, int64_t *);
static const OrderOf orders[] = {order_f, order_d, order_l, order_i};

/* Rows of which the elements at places `first` … `first + count` in order are wanted, and their positions. */
typedef struct {
    const char *x;
    char *chosen;
    int64_t *at;
    Py_ssize_t along, inner, first, count;
    int kind, falls, has_nan;
} Rows;

static void some_rows(void *of, Py_ssize_t begin, Py_ssize_t end) {
    Rows *all = of;
    size_t item = (size_t)sizes_by_kind[all->kind];
    int64_t order[LONGEST + 1];
    for (Py_ssize_t n = begin; n < end && !all->has_nan; n++) {
        Py_ssize_t o = n / all->inner, i = n % all->inner;
        const char *row = all->x + item * (size_t)(o * all->along * all->inner + i);
        if (!orders[all->kind](row, all->along, all->inner, all->first + all->count, all->falls, order)) all->has_nan = 1;
        else
            for (Py_ssize_t m = 0; m < all->count; m++) {
                Py_ssize_t place = (o * all->count + m) * all->inner + i;
                memcpy(all->chosen + item * (size_t)place, row + item * (size_t)(order[all->first + m] * all->inner), item);
                all->at[place] = order[all->first + m];
            }
    }
}

/* The most elements of rows of this length, `kept` of each. */
static Py_ssize_t most_in_rows(Py_ssize_t along, Py_ssize_t inner, Py_ssize_t kept) {
    if (along <= SHORT && kept) return MOST_IN_SHORT_ROWS;
    return has_wide_vectors && inner == 1 && kept && kept * 8 <= along ? PY_SSIZE_T_MAX : MOST_ELEMENTS;
}

/* The elements at places `first` … `first + count` of each row in order, and their positions, as a tuple. */
static PyObject *in_order(Array *x, Py_ssize_t axis, Py_ssize_t first, Py_ssize_t count, int falls) {
    int kind = kind_of(x->dtype), rank = x->dimensions_count;
    Py_ssize_t size = size_of((PyObject *)x), outer = 1, inner = 1, sizes[MOST_DIMENSIONS];
    if (axis < 0) axis += rank;
    if (kind < 0 || kind > INT32 || size < 1 || axis < 0 || axis >= rank) return declined_form();
    Py_ssize_t along = x->dimensions[axis];
    for (int n = 0; n < rank; n++) *(n < axis ? &outer : &inner) *= n == axis ? 1 : x->dimensions[n];
    if (size > most_in_rows(along, inner, count > 0 ? first + count : 0)) return declined_form();
    if (count < 1) count = along - first;
    if (first < 0 || count < 1 || first + count > along || (along > LONGEST && first + count > MOST_KEPT))
        return declined_form();
    for (int n = 0; n < rank; n++) sizes[n] = n == axis ? count : x->dimensions[n];
    PyObject *values = new_array(kind, rank, sizes), *positions = values ? new_array(INT64, rank, sizes) : NULL;
    PyObject *result = positions ? PyTuple_Pack(2, values, positions) : NULL;
    Py_XDECREF(values);
    Py_XDECREF(positions);
    if (!result) return NULL;
    Rows all = {.x = x->data, .chosen = ((Array *)values)->data, .at = (int64_t *)(void *)((Array *)positions)->data,
                .along = along, .inner = inner, .first = first, .count = count, .kind = kind, .falls = falls};
    int failed = run_parts(some_rows, &all, outer * inner, size * sizes_by_kind[kind]) < 0;
    if (!failed && !all.has_nan) return result;
    Py_DECREF(result);
    return failed ? NULL : declined_form();
}

static PyObject *argsort(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t axis = -1;
    int falls = 0;
    if (count != 1 || !is_plain_array(inputs[0]) || integer_attribute(attrs, name_axis, &axis) < 0
        || truth_attribute(attrs, name_descending, &falls) < 0)
        return declined_form();
    return in_order((Array *)inputs[0], axis, 0, 0, falls);
}

static PyObject *topk(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t axis = -1, k = 1;
    int falls = 1;
    if (count < 1 || !is_plain_array(inputs[0]) || (count > 1 && inputs[1] != Py_None)
        || integer_attribute(attrs, name_axis, &axis) < 0 || integer_attribute(attrs, name_k, &k) < 0 || k < 1
        || truth_attribute(attrs, name_largest, &falls) < 0)
        return declined_form();
    return in_order((Array *)inputs[0], axis, 0, k, falls);
}

static PyObject *order_statistics(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    Py_ssize_t axis = -1, rank = 0, several = 1;
    if (count != 1 || !is_plain_array(inputs[0]) || integer_attribute(attrs, name_axis, &axis) < 0
        || integer_attribute(attrs, name_rank, &rank) <= 0 || rank < 0 || rank > LONGEST
        || integer_attribute(attrs, name_count, &several) < 0 || several < 1 || several > LONGEST)
        return declined_form();
    return in_order((Array *)inputs[0], axis, rank, several, 0);
}

/* The different elements in order, with three empty arrays of the dtype that is asked for: nothing else is wanted. */
static PyObject *unique(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    int wanted = 0, is_sorted = 1;
    Py_ssize_t axes[MOST_DIMENSIONS], named = 0, none = 0, different = 0;
    PyObject *names[] = {name_return_index, name_return_inverse, name_return_counts};
    if (count != 1 || !attrs || !is_plain_array(inputs[0]) || integers_attribute(attrs, name_axis, axes, &named) < 0
        || named || truth_attribute(attrs, name_is_sorted, &is_sorted) < 0 || !is_sorted)
        return declined_form();
    for (int n = 0; n < 3; n++)
        if (truth_attribute(attrs, names[n], &wanted) < 0 || wanted) return declined_form();
    Array *x = (Array *)inputs[0];
    int kind = kind_of(x->dtype), other = INT64;
    Py_ssize_t size = size_of(inputs[0]);
    if (kind < 0 || kind > INT32 || size < 1 || size > LONGEST) return declined_form();
    PyObject *dtype = PyDict_GetItemWithError(attrs, name_dtype);
    if (dtype) {
        if (!(dtype = PyObject_GetAttr(dtype, name_dtype))) return NULL;
        other = kind_of(dtype);
        Py_DECREF(dtype);
        if (other == NO_KIND) return declined_form();
    }
    int64_t order[LONGEST + 1];
    if (!orders[kind](x->data, size, 1, size, 0, order)) return declined_form();
    size_t item = (size_t)sizes_by_kind[kind];
    char values[LONGEST * sizeof(double)], *end = values;
    for (Py_ssize_t n = 0; n < size; n++) {
        const char *one = x->data + item * (size_t)order[n];
        if (different && memcmp(end - item, one, item) == 0) continue;
        if (different && kind <= FLOAT64) { /* two zeros are one, whatever their signs are */
            double before = kind == FLOAT32 ? *(float *)(void *)(end - item) : *(double *)(void *)(end - item);
            if (before == (kind == FLOAT32 ? *(const float *)(const void *)one : *(const double *)(const void *)one)) continue;
        }
        memcpy(end, one, item);
        end += item;
        different++;
    }
    PyObject *result = PyTuple_New(4);
    for (int n = 0; result && n < 4; n++) {
        PyObject *made = n ? new_array(other, 1, &none) : new_array(kind, 1, &different);
        if (!made) Py_CLEAR(result);
        else PyTuple_SET_ITEM(result, n, made);
        if (made && !n) memcpy(((Array *)made)->data, values, (size_t)(end - values));
    }
    return result;
}

const FormEntry order_forms[] = {{"argsort", argsort, NULL}, {"topk", topk, NULL, 1},
                                 {"order_statistics", order_statistics, NULL}, {"unique", unique, NULL},
                                 {NULL, NULL, NULL}};
