/* Products of two small matrices and their gradients, by the functions of NumPy that their kernel calls. */
#include "_native.h"

static struct {
    PyObject *matmul, *deferred, *of_weight;
    Py_ssize_t one_thread, large, rows; /* multiplications up to which `dot` is called, and `matmul`; rows that wait */
} served;
static PyObject *str_dot;

const char serve_products_doc[] =
    "serve_products($module, matmul, deferred, of_weight, one_thread, large, rows, /)\n--\n\n"
    "Takes NumPy's function of products, the class of sums that wait and what computes them, the multiplications up to\n"
    "which `dot` may be called, those up to which no other library is asked, and the rows up to which products wait.";

PyObject *serve_products(PyObject *module, PyObject *arguments) {
    PyObject *matmul, *deferred, *of_weight, *name = str_dot ? str_dot : PyUnicode_InternFromString("dot");
    Py_ssize_t one_thread, large, rows;
    if (!(str_dot = name) || !PyArg_ParseTuple(arguments, "OOOnnn", &matmul, &deferred, &of_weight, &one_thread, &large, &rows))
        return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    served.matmul = matmul, served.deferred = deferred, served.of_weight = of_weight;
    served.one_thread = one_thread, served.large = large, served.rows = rows;
    Py_RETURN_NONE;
}

/* Whether it is a matrix of floats of NumPy's own, of this dtype where one is given, that has elements. */
static int is_matrix(PyObject *given, PyObject *dtype) {
    Array *x = (Array *)given;
    if (Py_TYPE(given) != array_type || x->dimensions_count != 2 || !(x->flags & ALIGNED) || (dtype && x->dtype != dtype))
        return 0;
    int kind = kind_of(x->dtype);
    return (kind == FLOAT32 || kind == FLOAT64) && x->dimensions[0] > 0 && x->dimensions[1] > 0;
}

static PyObject *turned(PyObject *given, int turns) {
    Array *x = (Array *)given;
    if (!turns) return Py_NewRef(given);
    Py_ssize_t sizes[2] = {x->dimensions[1], x->dimensions[0]}, strides[2] = {x->strides[1], x->strides[0]};
    PyObject *view = new_view(given, 2, sizes, strides, x->data);
    if (view) ((Array *)view)->flags |= ALIGNED; /* as that is which it shows */
    return view;
}

/* The multiplications of a product; -1 where the sizes do not fit, or it is none of the small ones. */
static Py_ssize_t multiplications(const Py_ssize_t *x, int turns_x, const Py_ssize_t *y, int turns_y) {
    Py_ssize_t rows = x[turns_x], inner = x[!turns_x], columns = y[!turns_y];
    if (y[turns_y] != inner || rows > served.large || inner > served.large || columns > served.large) return -1;
    if (rows * inner > served.large || rows * inner * columns > served.large) return -1;
    return rows * inner * columns;
}

/* x @ y, or of the turned ones, `count` multiplications: as `_matmul` in products.py, or by `dot` in any case. */
static PyObject *product(PyObject *x, int turns_x, PyObject *y, int turns_y, Py_ssize_t count, int by_dot) {
    PyObject *arguments[2] = {turned(x, turns_x), turned(y, turns_y)}, *made = NULL;
    if (arguments[0] && arguments[1]) {
        if (by_dot) made = PyObject_VectorcallMethod(str_dot, arguments, 2, NULL);
        else if (((Array *)arguments[0])->dimensions[1] == 1) made = PyNumber_Multiply(arguments[0], arguments[1]);
        else if (count <= served.one_thread) made = PyObject_VectorcallMethod(str_dot, arguments, 2, NULL);
        else made = PyObject_Vectorcall(served.matmul, arguments, 2, NULL);
    }
    Py_XDECREF(arguments[0]);
    Py_XDECREF(arguments[1]);
    return made;
}

static PyObject *matmul(const void *with, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    int turns_x = 0, turns_y = 0;
    if (!served.matmul || count != 2 || !is_matrix(inputs[0], NULL) || !is_matrix(inputs[1], ((Array *)inputs[0])->dtype)
        || (attrs && (truth_attribute(attrs, name_trans_x, &turns_x) < 0 || truth_attribute(attrs, name_trans_y, &turns_y) < 0)))
        return declined_form();
    Py_ssize_t found = multiplications(((Array *)inputs[0])->dimensions, turns_x, ((Array *)inputs[1])->dimensions, turns_y);
    return found < 0 ? declined_form() : product(inputs[0], turns_x, inputs[1], turns_y, found, 0);
}

const FormEntry product_forms[] = {{"matmul", matmul, NULL}, {NULL, NULL, NULL}};

int product_gradients(PyObject *g, PyObject *saved, PyObject *attrs, PyObject *const *edges, const int *are_leaves,
                      PyObject **found) {
    int turns_x = 0, turns_y = 0;
    if (!served.matmul || PyTuple_GET_SIZE(saved) != 2 || !PyDict_CheckExact(attrs) || !is_matrix(g, NULL)) return 0;
    PyObject *x = PyTuple_GET_ITEM(saved, 0), *y = PyTuple_GET_ITEM(saved, 1), *dtype = ((Array *)g)->dtype;
    if (!is_matrix(x, dtype) || !is_matrix(y, dtype) || truth_attribute(attrs, name_trans_x, &turns_x) < 0
        || truth_attribute(attrs, name_trans_y, &turns_y) < 0)
        return 0;
    const Py_ssize_t *of_x = ((Array *)x)->dimensions, *of_y = ((Array *)y)->dimensions, *of_g = ((Array *)g)->dimensions;
    Py_ssize_t count = multiplications(of_x, turns_x, of_y, turns_y);
    if (count < 0 || of_g[0] != of_x[turns_x] || of_g[1] != of_y[!turns_y]) return 0;
    int is_straight = !turns_x && !turns_y, by_dot = is_straight && count <= served.one_thread;
    found[0] = edges[0] == Py_None ? Py_NewRef(Py_None)
        : turns_x ? product(y, turns_y, g, 1, count, by_dot) : product(g, 0, y, !turns_y, count, by_dot);
    if (!found[0]) return -1;
    if (edges[1] == Py_None) found[1] = Py_NewRef(Py_None);
    else if (is_straight && !by_dot && are_leaves[1] && !are_leaves[0] && of_g[0] <= served.rows) {
        PyObject *arguments[3] = {served.of_weight, x, g};
        found[1] = PyObject_Vectorcall(served.deferred, arguments, 3, NULL);
    } else
        found[1] = turns_y ? product(g, 1, x, turns_x, count, by_dot) : product(x, !turns_x, g, 0, count, by_dot);
    if (found[1]) return 1;
    Py_CLEAR(found[0]);
    return -1;
}
