/* Python's operators of values, its number protocol and comparisons: `x + y`, `-x`, `x < y`, …, and what Python does where
one of both is something else. Beside them what is asked most of values: `shape`, `dtype`, `ndim`.
*/
#include "_dispatch.h"

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, FLOOR_DIVIDE, REMAINDER, NEGATIVE, ARITHMETIC, COMPARISONS = 6 };
static PyObject *operators[ARITHMETIC], *forward[ARITHMETIC], *reverse[ARITHMETIC];
static PyObject *compared[COMPARISONS], *comparing[COMPARISONS]; /* operators and functions, in Python's order */
static PyObject *scale, *float32, *float64;

/* Whether the array of a value holds real floats of the usual sizes. */
static int holds_floats(PyObject *value) {
    PyObject *array = slot(value, of_value.array);
    PyObject *dtype = array && Py_TYPE(array) == array_type ? ((Array *)array)->dtype : NULL;
    return dtype && (dtype == float32 || dtype == float64);
}

/* Whether it holds integers whose dtype holds an integer of Python's, as `wrapped` of the dtype keeps it. */
static int holds_integer(PyObject *value, PyObject *number) {
    PyObject *array = slot(value, of_value.array);
    int kind = array && Py_TYPE(array) == array_type ? kind_of(((Array *)array)->dtype) : NO_KIND;
    Py_ssize_t whole;
    if ((kind != INT64 && kind != INT32) || integer_in(number, &whole) <= 0) return 0;
    return kind == INT64 || (whole <= INT32_MAX && whole >= INT32_MIN);
}

/* Applies an operator, with an attribute where there is one, under this thread's trace; `declined` as of `applied`. */
static PyObject *applied_here(PyObject *op, PyObject *const *inputs, Py_ssize_t count, PyObject *name, PyObject *number,
                              int *declined) {
    PyObject *trace = of_state(str_trace), *result = NULL, *attrs = NULL;
    *declined = 0;
    if (!trace) return NULL;
    if (Py_TYPE(trace) != trace_type) *declined = 1;
    else if ((attrs = PyDict_New()) && (!name || PyDict_SetItem(attrs, name, number) == 0))
        result = applied(trace, op, inputs, count, attrs, declined);
    Py_XDECREF(attrs);
    Py_DECREF(trace);
    return result;
}

/* `number - x`: as `rsub`. */
static PyObject *turned_around(PyObject *x, PyObject *number, int *declined) {
    PyObject *inputs[2] = {x, Py_None}, *trace = of_state(str_trace), *attrs = NULL, *minus = NULL, *result = NULL;
    *declined = 0;
    if (trace && Py_TYPE(trace) != trace_type) *declined = 1;
    else if (trace && (attrs = PyDict_New()) && (minus = PyFloat_FromDouble(-1.0))
             && PyDict_SetItem(attrs, str_scale, minus) == 0 && PyDict_SetItem(attrs, str_bias, number) == 0)
        result = applied(trace, scale, inputs, 2, attrs, declined);
    Py_XDECREF(minus);
    Py_XDECREF(attrs);
    Py_XDECREF(trace);
    return result;
}

/* `x + number` and its like: one operator, which takes the number as an attribute. */
static PyObject *with_number(PyObject *x, PyObject *number, int which, int is_turned, int *declined) {
    PyObject *inputs[2] = {x, Py_None}, *given = NULL, *one, *result;
    *declined = 1;
    if (is_turned && which == DIVIDE) return NULL;
    if (is_turned && which == SUBTRACT) return turned_around(x, number, declined);
    if (which == SUBTRACT) given = PyNumber_Negative(number);
    else if (which == DIVIDE) {
        double divisor = PyFloat_AsDouble(number);
        if (divisor == -1.0 && PyErr_Occurred()) {
            PyErr_Clear(); /* too large for a float: Python says so */
            return NULL;
        }
        if (divisor == 0.0 || !(one = PyFloat_FromDouble(1.0))) return NULL;
        given = PyNumber_TrueDivide(one, number);
        Py_DECREF(one);
    } else given = Py_NewRef(number);
    *declined = 0;
    if (!given) return NULL;
    result = applied_here(scale, inputs, 2, which == MULTIPLY || which == DIVIDE ? str_scale : str_bias, given, declined);
    Py_DECREF(given);
    return result;
}

/* `x // number` and its like: the number becomes a value of x's dtype, as `operand` makes it. */
static PyObject *with_operand(PyObject *x, PyObject *number, int which, int is_turned, int *declined) {
    PyObject *trace = of_state(str_trace), *made = NULL, *array = NULL, *operand = NULL, *result = NULL;
    *declined = 0;
    if (!trace) return NULL;
    if (Py_TYPE(trace) != trace_type) *declined = 1;
    else if ((array = number_in(((Array *)slot(x, of_value.array))->dtype, number))
             && (made = own_attribute(trace, str_value_class))) {
        if (Py_TYPE(array) != array_type || !PyType_Check(made) || !PyType_IsSubtype((PyTypeObject *)made, value_type))
            *declined = 1;
        else if ((operand = value_of((PyTypeObject *)made, array, Py_NewRef(Py_None)))) {
            PyObject *inputs[2] = {is_turned ? operand : x, is_turned ? x : operand};
            result = applied_here(operators[which], inputs, 2, NULL, NULL, declined);
        }
    }
    Py_DECREF(trace);
    Py_XDECREF(made);
    Py_XDECREF(array);
    Py_XDECREF(operand);
    return result;
}

static int is_number(PyObject *x) { return PyFloat_CheckExact(x) || PyLong_CheckExact(x); }

static PyObject *binary(PyObject *x, PyObject *y, int which) {
    if (!operators[which]) Py_RETURN_NOTIMPLEMENTED;
    int is_value = PyObject_TypeCheck(x, value_type), declined = 1;
    PyObject *result = NULL, *inputs[2] = {x, y};
    if (is_value && PyObject_TypeCheck(y, value_type)) {
        if (which != DIVIDE || (holds_floats(x) && holds_floats(y)))
            result = applied_here(operators[which], inputs, 2, NULL, NULL, &declined);
    } else if (is_value && is_number(y) && (holds_floats(x) || (which != DIVIDE && holds_integer(x, y))))
        result = (which < FLOOR_DIVIDE ? with_number : with_operand)(x, y, which, 0, &declined);
    else if (!is_value && is_number(x) && (holds_floats(y) || (which != DIVIDE && holds_integer(y, x))))
        result = (which < FLOOR_DIVIDE ? with_number : with_operand)(y, x, which, 1, &declined);
    if (!declined) return result;
    PyObject *straight[2] = {x, y}, *turned[2] = {y, x};
    return is_value ? PyObject_Vectorcall(forward[which], straight, 2, NULL)
                    : PyObject_Vectorcall(reverse[which], turned, 2, NULL);
}

static PyObject *add(PyObject *x, PyObject *y) { return binary(x, y, ADD); }
static PyObject *subtract(PyObject *x, PyObject *y) { return binary(x, y, SUBTRACT); }
static PyObject *multiply(PyObject *x, PyObject *y) { return binary(x, y, MULTIPLY); }
static PyObject *divide(PyObject *x, PyObject *y) { return binary(x, y, DIVIDE); }

static PyObject *floor_divide(PyObject *x, PyObject *y) { return binary(x, y, FLOOR_DIVIDE); }
static PyObject *remainder_of(PyObject *x, PyObject *y) { return binary(x, y, REMAINDER); }

static PyObject *negative(PyObject *x) {
    if (!forward[NEGATIVE]) return PyErr_Format(PyExc_TypeError, "bad operand type for unary -: '%s'", Py_TYPE(x)->tp_name);
    PyObject *inputs[2] = {x, Py_None}, *number = PyFloat_FromDouble(-1.0);
    if (!number) return NULL;
    int declined = 1;
    PyObject *result = applied_here(scale, inputs, 2, str_scale, number, &declined);
    Py_DECREF(number);
    return declined ? PyObject_CallOneArg(forward[NEGATIVE], x) : result;
}

/* A value beside a number that its dtype takes: NumPy's function takes the number as it is, and nothing is recorded. */
static PyObject *beside_number(PyObject *x, PyObject *number, PyObject *op, int *declined) {
    PyObject *trace = of_state(str_trace), *kernels = NULL, *function = NULL, *class = NULL, *found, *result = NULL;
    PyObject *array = NULL, *edge = NULL;
    *declined = 1;
    if (!trace) goto failed_early;
    if (Py_TYPE(trace) != trace_type || PyDict_GetItemWithError(flags, str_check) != Py_False) goto done;
    if (PyLong_CheckExact(number)) {
        int overflow;
        PyLong_AsLongAndOverflow(number, &overflow);
        if (overflow) goto done;
    }
    if (!(kernels = own_attribute(op, str_kernels))) goto failed_early;
    if (Py_TYPE(kernels) != kernels_type || !read_value(x, &array, &edge)) goto done;
    PyObject *of_dtype = slot(kernels, of_kernels.of_dtype);
    PyObject *choice = of_dtype && PyDict_Check(of_dtype)
        ? PyDict_GetItemWithError(of_dtype, ((Array *)array)->dtype) : NULL;
    if (!choice || Py_TYPE(choice) != choice_type) goto done;
    PyObject *least = slot(choice, of_choice.least), *direct = slot(choice, of_choice.direct);
    if (!least || !direct || direct == Py_None) goto done;
    int large = size_of(array) >= PyLong_AsSsize_t(least);
    if (large && !takes_any_size(direct)) goto done;
    function = Py_NewRef(direct);
    if (!(class = own_attribute(trace, str_value_class))) goto failed_early;
    if (!PyType_Check(class) || !PyType_IsSubtype((PyTypeObject *)class, value_type)) goto done;
    *declined = 0;
    PyObject *arguments[2] = {array, number_in(((Array *)array)->dtype, number)};
    PyObject *computing = function;
    if (arguments[1] && !by_form(&computing, arguments, 2, NULL, &found)) {
        if (large) *declined = 1, found = NULL; /* there may be a loop for it */
        else found = quiet_call(computing, arguments, 2, NULL);
    }
    if (arguments[1] && found) {
        result = value_of((PyTypeObject *)class, found, Py_NewRef(Py_None));
        Py_DECREF(found);
    }
    Py_XDECREF(arguments[1]);
    goto done;
failed_early:
    *declined = 0;
done:
    if (*declined && PyErr_Occurred()) *declined = 0;
    Py_XDECREF(trace);
    Py_XDECREF(kernels);
    Py_XDECREF(array);
    Py_XDECREF(edge);
    Py_XDECREF(function);
    Py_XDECREF(class);
    return result;
}

static PyObject *compare(PyObject *x, PyObject *y, int which) {
    if (!comparing[which] || !PyObject_TypeCheck(x, value_type)) Py_RETURN_NOTIMPLEMENTED;
    PyObject *inputs[2] = {x, y}, *result = NULL;
    int declined = 1;
    if (PyObject_TypeCheck(y, value_type)) result = applied_here(compared[which], inputs, 2, NULL, NULL, &declined);
    else if (numbers_are_weak && is_number(y) && (holds_floats(x) || holds_integer(x, y)))
        result = beside_number(x, y, compared[which], &declined);
    return declined ? PyObject_Vectorcall(comparing[which], inputs, 2, NULL) : result;
}

/* What is asked most of values. Where an array is not NumPy's own, functions in Python say it. */

static struct { PyObject *shape, *dtype, *ndim; } facts;

static PyObject *array_of(PyObject *value) {
    PyObject *array = value_type && PyObject_TypeCheck(value, value_type) ? slot(value, of_value.array) : NULL;
    return array && Py_TYPE(array) == array_type ? array : NULL;
}

static PyObject *in_python(PyObject *function, PyObject *value) {
    if (function) return PyObject_CallOneArg(function, value);
    PyErr_SetString(PyExc_AttributeError, "serve_facts has not been called");
    return NULL;
}

static PyObject *get_shape(PyObject *self, void *nothing) {
    PyObject *array = array_of(self);
    if (!array) return in_python(facts.shape, self);
    int count = ((Array *)array)->dimensions_count;
    PyObject *shape = PyList_New(count);
    for (int n = 0; shape && n < count; n++) {
        PyObject *size = PyLong_FromSsize_t(((Array *)array)->dimensions[n]);
        if (!size) Py_CLEAR(shape);
        else PyList_SET_ITEM(shape, n, size);
    }
    return shape;
}

static PyObject *get_dtype(PyObject *self, void *nothing) {
    static PyObject *known[KINDS]; /* as `dtype_of` gave them: for each there is one object */
    PyObject *array = array_of(self);
    if (!array) return in_python(facts.dtype, self);
    int kind = kind_of(((Array *)array)->dtype);
    if (kind == NO_KIND) return PyObject_CallOneArg(dtype_of, ((Array *)array)->dtype);
    if (!known[kind]) {
        PyObject *found = PyObject_CallOneArg(dtype_of, ((Array *)array)->dtype);
        if (!found) return NULL;
        Py_XSETREF(known[kind], found);
    }
    return Py_NewRef(known[kind]);
}

static PyObject *get_ndim(PyObject *self, void *nothing) {
    PyObject *array = array_of(self);
    return array ? PyLong_FromLong(((Array *)array)->dimensions_count) : in_python(facts.ndim, self);
}

static PyGetSetDef syntax_facts[] = {{"shape", get_shape, NULL, "The sizes, as a list of ints.", NULL},
                                     {"dtype", get_dtype, NULL, "The element type.", NULL},
                                     {"ndim", get_ndim, NULL, "The number of dimensions.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};

const char serve_facts_doc[] = PyDoc_STR("serve_facts($module, shape, dtype, ndim, /)\n--\n\n"
                              "Takes the functions that tell what `Syntax` tells of arrays of NumPy's own.");

PyObject *serve_facts(PyObject *module, PyObject *arguments) {
    PyObject *shape, *dtype, *ndim;
    if (!PyArg_ParseTuple(arguments, "OOO", &shape, &dtype, &ndim)) return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    facts.shape = shape, facts.dtype = dtype, facts.ndim = ndim;
    Py_RETURN_NONE;
}

static PyType_Slot syntax_slots[] = {
    {Py_nb_add, add}, {Py_nb_subtract, subtract}, {Py_nb_multiply, multiply}, {Py_nb_true_divide, divide},
    {Py_nb_floor_divide, floor_divide}, {Py_nb_remainder, remainder_of},
    {Py_nb_negative, negative}, {Py_tp_richcompare, compare}, {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_getset, syntax_facts},
    {Py_tp_doc, "The operators of values: +, -, *, /, //, % and comparisons. It holds nothing."}, {0, NULL}};
PyType_Spec syntax = {"proa.ops.core._dispatch.Syntax", sizeof(PyObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, syntax_slots};

const char serve_syntax_doc[] = PyDoc_STR("serve_syntax($module, operators, forward, reverse, compared, comparing, scale, dtypes, weak, /)\n--\n\n"
             "Takes the operators of +, -, *, /, //, %, - and of <, <=, ==, !=, >, >=, the functions that stand for them with\n"
             "anything else, what takes numbers, the dtypes that meet them, and whether these keep their dtype.");

/* The items of a tuple of so many; -1 with an error. */
static int items_of(PyObject *tuple, Py_ssize_t count, PyObject **items) {
    if (PyTuple_GET_SIZE(tuple) != count) {
        PyErr_Format(PyExc_TypeError, "serve_syntax: a tuple of %zd is needed, not of %zd", count, PyTuple_GET_SIZE(tuple));
        return -1;
    }
    for (Py_ssize_t n = 0; n < count; n++) items[n] = PyTuple_GET_ITEM(tuple, n);
    return 0;
}

PyObject *serve_syntax(PyObject *module, PyObject *arguments) {
    PyObject *t[5], *o[ARITHMETIC], *f[ARITHMETIC], *r[ARITHMETIC], *c[COMPARISONS], *with[COMPARISONS], *s, *one, *two;
    int weak;
    PyTypeObject *tuple = &PyTuple_Type;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!O!O(OO)p", tuple, t, tuple, t + 1, tuple, t + 2, tuple, t + 3, tuple, t + 4,
                          &s, &one, &two, &weak))
        return NULL;
    if (items_of(t[0], ARITHMETIC, o) || items_of(t[1], ARITHMETIC, f) || items_of(t[2], ARITHMETIC, r)
        || items_of(t[3], COMPARISONS, c) || items_of(t[4], COMPARISONS, with))
        return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    scale = s, float32 = one, float64 = two, numbers_are_weak = weak;
    for (int n = 0; n < ARITHMETIC; n++) operators[n] = o[n], forward[n] = f[n], reverse[n] = r[n];
    for (int n = 0; n < COMPARISONS; n++) compared[n] = c[n], comparing[n] = with[n];
    Py_RETURN_NONE;
}
