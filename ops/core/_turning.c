/* Arrays whose elements lie in another order, as images whose channels lie side by side: all are copied as matrices, one
   behind the other, whose rows become columns. */
#include "_turning.h"

#include <string.h>

/* Rows one behind the other. */
typedef struct {
    const float *x;
    float *out;
    Py_ssize_t rows, columns, wide;
} Turned;

enum { LINE = 16, OF_FEW = 256 }; /* columns that are turned one after the other: of many rows, and of few */

void turn_rows(const float *x, Py_ssize_t apart, Py_ssize_t rows, Py_ssize_t columns, float *out, Py_ssize_t step) {
    for (Py_ssize_t n = 0, wide; n < columns; n += wide) { /* some rows of the result are complete before the next ones */
        Py_ssize_t r = 0;
        wide = rows < TURNED_AT_ONCE ? columns : columns - n < TURNED_AT_ONCE ? columns - n : TURNED_AT_ONCE;
#if HAS_TWO_WAYS
        static const Py_ssize_t places[TURNED_AT_ONCE] = {0, 1, 2, 3, 4, 5, 6, 7};
        for (; has_wide_vectors && wide == TURNED_AT_ONCE && r + TURNED_AT_ONCE <= rows; r += TURNED_AT_ONCE)
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
        turn_rows(of->x + at / blocks * rows * columns + first, columns, rows, columns - first < of->wide ? columns - first : of->wide,
                  of->out + (at / blocks * columns + first) * rows, rows);
    }
}

/* Turns `count` matrices; -1 with an error. */
static int turn_matrices(const char *x, Py_ssize_t count, Py_ssize_t rows, Py_ssize_t columns, char *out) {
    Turned of = {(const float *)(const void *)x, (float *)(void *)out, rows, columns, rows < TURNED_AT_ONCE ? OF_FEW : LINE};
    return run_parts(some_turned, &of, count * ((columns + of.wide - 1) / of.wide),
                     2 * count * rows * columns * (Py_ssize_t)sizeof(float));
}

/* The dimensions of several elements, the one with the largest step first; how many there are. */
static int order_of(const Array *x, int *order) {
    int count = 0;
    for (int n = 0; n < x->dimensions_count; n++) {
        if (x->dimensions[n] == 1) continue;
        int at = count++;
        for (; at && x->strides[order[at - 1]] < x->strides[n]; at--) order[at] = order[at - 1];
        order[at] = n;
    }
    return count;
}

/* Whether what lies in one order lies in the other once matrices are turned: how many, and of which sizes. */
static int is_turned(const Array *x, const int *from, const int *to, int count, Py_ssize_t *matrices, Py_ssize_t *rows,
                     Py_ssize_t *columns) {
    int first = 0, cut = 0;
    *matrices = *rows = *columns = 1;
    for (; first < count && from[first] == to[first]; first++) *matrices *= x->dimensions[from[first]];
    while (first + cut < count && from[first + cut] != to[first]) cut++;
    int turned = count - first;
    for (int n = 0; n < turned; n++) {
        if (to[first + n] != from[first + (n + cut) % turned]) return 0;
        *(n < cut ? rows : columns) *= x->dimensions[from[first + n]];
    }
    return 1;
}

static int is_of_four_bytes(const Array *x) {
    int kind = kind_of(x->dtype);
    return kind != NO_KIND && sizes_by_kind[kind] == sizeof(float);
}

PyObject *lying_as(PyObject *given, PyObject *dense) {
    const Array *x = (Array *)given, *like = (Array *)dense;
    int from[MOST_DIMENSIONS], to[MOST_DIMENSIONS];
    Py_ssize_t matrices, rows, columns;
    if (!is_of_four_bytes(x)) return declined_form();
    int count = order_of(x, from);
    if (count != order_of(like, to) || !is_turned(x, from, to, count, &matrices, &rows, &columns)) return declined_form();
    PyObject *result = new_array_like(kind_of(x->dtype), dense);
    if (result && turn_matrices(x->data, matrices, rows, columns, ((Array *)result)->data) < 0) Py_CLEAR(result);
    return result;
}

PyObject *copied_in_order(PyObject *module, PyObject *given) {
    const Array *x = (Array *)given;
    int from[MOST_DIMENSIONS], to[MOST_DIMENSIONS], count = 0;
    Py_ssize_t matrices, rows, columns;
    if (Py_TYPE(given) != array_type || !is_of_four_bytes(x) || !is_dense_array(given, sizeof(float))) return declined_form();
    order_of(x, from);
    for (int n = 0; n < x->dimensions_count; n++)
        if (x->dimensions[n] != 1) to[count++] = n;
    if (!is_turned(x, from, to, count, &matrices, &rows, &columns)) return declined_form();
    PyObject *result = new_array(kind_of(x->dtype), x->dimensions_count, x->dimensions);
    if (result && turn_matrices(x->data, matrices, rows, columns, ((Array *)result)->data) < 0) Py_CLEAR(result);
    return result;
}

PyObject *copied_as(PyObject *module, PyObject *const *given, Py_ssize_t count) {
    if (count != 2 || Py_TYPE(given[0]) != array_type || !is_dense_array(given[1], sizeof(float)) ||
        !is_dense_array(given[0], sizeof(float)))
        return declined_form();
    const Array *x = (Array *)given[0], *like = (Array *)given[1];
    if (x->dtype != like->dtype || x->dimensions_count != like->dimensions_count) return declined_form();
    for (int n = 0; n < x->dimensions_count; n++)
        if (x->dimensions[n] != like->dimensions[n]) return declined_form();
    return lying_as(given[0], given[1]);
}

PyObject *turned_matrices(PyObject *module, PyObject *given) {
    const Array *x = (Array *)given;
    if (!is_plain_array(given) || x->dimensions_count != 3 || !size_of(given) || !is_of_four_bytes(x)) return declined_form();
    PyObject *result = new_array(kind_of(x->dtype), 3, (Py_ssize_t[]){x->dimensions[0], x->dimensions[2], x->dimensions[1]});
    if (result && turn_matrices(x->data, x->dimensions[0], x->dimensions[1], x->dimensions[2], ((Array *)result)->data) < 0)
        Py_CLEAR(result);
    return result;
}

PyObject *turn_into(PyObject *module, PyObject *const *given, Py_ssize_t count) {
    if (count != 2 || !is_plain_array(given[0]) || Py_TYPE(given[1]) != array_type) return declined_form();
    const Array *x = (Array *)given[0], *to = (Array *)given[1];
    if (x->dimensions_count != 3 || to->dimensions_count != 3 || !is_of_four_bytes(x) || to->dtype != x->dtype)
        return declined_form();
    Py_ssize_t matrices = x->dimensions[0], rows = x->dimensions[1], columns = x->dimensions[2], each = rows * columns;
    if (to->dimensions[0] != matrices || to->dimensions[1] != columns || to->dimensions[2] != rows || !(to->flags & ALIGNED) ||
        !(to->flags & WRITEABLE) || to->strides[2] != 4 || to->strides[1] != 4 * rows || to->strides[0] < 4 * each ||
        to->strides[0] % 4) return declined_form();
    for (Py_ssize_t n = 0; n < matrices; n++)
        turn_rows((const float *)x->data + n * each, columns, rows, columns, (float *)(to->data + n * to->strides[0]), rows);
    return Py_NewRef(given[1]);
}

const char turned_matrices_doc[] =
    "turned_matrices($module, x, /)\n--\n\n"
    "x [n, rows, columns], in order and of 4 bytes an element, as [n, columns, rows]; NotImplemented for other arrays.";
const char turn_into_doc[] =
    "turn_into($module, x, out, /)\n--\n\n"
    "Fills out [n, columns, rows], each of whose matrices is in order, with x [n, rows, columns] and gives it;\n"
    "NotImplemented for arrays that lie otherwise, or whose elements have not 4 bytes.";
const char copied_as_doc[] =
    "copied_as($module, x, like, /)\n--\n\n"
    "A copy of x that lies in memory as an array of its shape and dtype; NotImplemented as of copied_in_order().";
const char copied_in_order_doc[] =
    "copied_in_order($module, x, /)\n--\n\n"
    "A copy of x whose elements lie in order; NotImplemented where more than some neighbouring dimensions lie the other "
    "way round, and for elements that have not 4 bytes.";
