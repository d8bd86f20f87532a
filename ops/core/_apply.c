/* Applying an operator to values of eager code, the common case.

What it means stands in Python: `apply` in trace.py, and `EagerTrace.apply` in dygraph/eager.py. This does the same for
an operator of up to eight values, or lists of them, whose arrays are NumPy's own, under a trace that is exactly an
EagerTrace; several results that are recorded as nodes of another class it hands to the trace's `_several`.
With anything else, as an operator that writes its inputs, it calls the trace's `apply`, before any kernel has run.
*/
#include "_dispatch.h"

enum { ANY, ONE, TWO, ONE_AND_OPTIONAL };                                     /* `Kernels.arity` */
/* `Kernels.traits` */
enum { SINGLE = 1, PROMOTES = 2, OPTIONAL = 4, WRITES = 8, A_LIST = 16, SEVERAL = 32, LISTS = 64, VIEW = 128 };

int numbers_are_weak;

static void let_go(Inputs *given) {
    for (Py_ssize_t n = 0; n < given->count; n++) {
        Py_XDECREF(given->arrays[n]);
        Py_XDECREF(given->edges[n]);
    }
}

/* The array and the edge of a value: 1; 0 where it is something else, or its array NumPy's; new references. */
int read_value(PyObject *value, PyObject **array, PyObject **edge) {
    if (!PyObject_TypeCheck(value, value_type)) return 0;
    *array = Py_XNewRef(slot(value, of_value.array)); /* another thread may put others into the slots */
    *edge = Py_XNewRef(slot(value, of_value.edge));
    return *array && *edge && Py_TYPE(*array) == array_type;
}

/* The same for a list of values; -1 with an error. */
static int read_list(PyObject *values, PyObject **arrays, PyObject **edges, int *wanted) {
    Py_ssize_t count = PyList_GET_SIZE(values);
    int any = 0;
    *arrays = PyList_New(count);
    *edges = PyList_New(count);
    if (!*arrays || !*edges) return -1;
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *array = NULL, *edge = NULL;
        int fits = n < PyList_GET_SIZE(values) ? read_value(PyList_GET_ITEM(values, n), &array, &edge) : 0;
        PyList_SET_ITEM(*arrays, n, array ? array : Py_NewRef(Py_None));
        PyList_SET_ITEM(*edges, n, edge ? edge : Py_NewRef(Py_None));
        if (!fits) return 0;
        any = any || edge != Py_None;
    }
    if (!any) Py_SETREF(*edges, Py_NewRef(Py_None));
    *wanted = *wanted || any;
    return 1;
}

/* Reads the inputs: 1; 0 where they are not what is done here, -1 with an error. `given` is to be let go in any case. */
static int read_inputs(Inputs *given, PyObject *const *inputs, Py_ssize_t count, long traits) {
    *given = (Inputs){.count = 0};
    for (Py_ssize_t n = 0; n < count; n++) {
        PyObject *x = inputs[n], **array = given->arrays + n, **edge = given->edges + n;
        given->count = n + 1;
        if (x == Py_None) {
            if (!(traits & OPTIONAL)) return 0;
            *array = Py_NewRef(Py_None), *edge = Py_NewRef(Py_None);
        } else if (PyList_CheckExact(x)) {
            if (!(traits & LISTS) || traits & PROMOTES) return 0;
            int fits = read_list(x, array, edge, &given->wanted);
            if (fits <= 0) return fits;
            given->listed = 1;
            if (!n && PyList_GET_SIZE(*array)) given->first = PyList_GET_ITEM(*array, 0);
        } else {
            if (!read_value(x, array, edge)) return 0;
            Py_ssize_t size = size_of(*array);
            if (size > given->largest) given->largest = size;
            if (*edge != Py_None) given->wanted = 1;
            if (!n) given->first = *array;
        }
    }
    if (traits & PROMOTES && count > 1
        && (Py_TYPE(given->arrays[0]) != array_type || Py_TYPE(given->arrays[1]) != array_type
            || ((Array *)given->arrays[0])->dtype != ((Array *)given->arrays[1])->dtype))
        return 0;
    return 1;
}

/* A number as an array without dimensions, which NumPy takes sooner than the number: a new reference, NULL with an
   error. Finite floats and small integers, but 0, whose sign keys of dicts do not tell, are kept for the next time. */
PyObject *number_in(PyObject *dtype, PyObject *number) {
    static PyObject *arrays, *of; /* of the dtype that was asked for last */
    double value = PyFloat_CheckExact(number) ? PyFloat_AS_DOUBLE(number) : 0.0;
    if (PyLong_CheckExact(number)) {
        int overflow;
        long whole = PyLong_AsLongAndOverflow(number, &overflow);
        value = overflow || whole < -65536 || whole > 65536 ? 0.0 : (double)whole;
    }
    if (!numbers_are_weak || !(value < 1e30 && value > -1e30) || value == 0.0) return Py_NewRef(number);
    if (of != dtype || !arrays || PyDict_GET_SIZE(arrays) > 256) {
        PyObject *made = PyDict_New();
        if (!made) return NULL;
        Py_XSETREF(arrays, made);
        Py_XSETREF(of, Py_NewRef(dtype));
    }
    PyObject *array = PyDict_GetItemWithError(arrays, number);
    if (array) return Py_NewRef(array);
    if (PyErr_Occurred()) return NULL;
    PyObject *arguments[2] = {number, dtype};
    if (!(array = PyObject_Vectorcall(as_array, arguments, 2, NULL))) return NULL;
    if (PyDict_SetItem(arrays, number, array) < 0) Py_CLEAR(array);
    return array;
}

/* What computes an application, `kernel`, a new reference, and whether it takes the namespace and the attributes. */
typedef struct {
    PyObject *kernel, *engine; /* `engine`: what is asked before, without the namespace, or NULL */
    PyObject *before;          /* a form that is asked before both, with the inputs alone, or NULL */
    PyObject *number;          /* the attribute that is given as a second operand, borrowed, or NULL */
    int is_direct, is_of_two;  /* it takes the inputs alone, which are two */
    int is_short;              /* inputs behind the first are left out */
} Chosen;

/* Chooses the kernel: 1; 0 where Python has to, -1 with an error. */
static int choose(Chosen *chosen, PyObject *kernels, const Inputs *given, PyObject *attrs) {
    PyObject *arity_number = slot(kernels, of_kernels.arity), *of_dtype = slot(kernels, of_kernels.of_dtype);
    if (!arity_number || !of_dtype || !PyDict_Check(of_dtype)) return 0;
    long arity = PyLong_AsLong(arity_number);
    if (arity == -1 && PyErr_Occurred()) return -1;
    if (!given->first) {
        for (Py_ssize_t n = 0; n < given->count; n++)
            if (given->arrays[n] != Py_None) return 0;
        PyObject *namespace = PyObject_CallNoArgs(expected_namespace);
        if (!namespace) return -1;
        Py_DECREF(namespace);
        if (namespace != numpy) return 0;
    }
    PyObject *dtype = given->first ? ((Array *)given->first)->dtype : Py_None;
    PyObject *choice = PyDict_GetItemWithError(of_dtype, dtype); /* where there is none, Python makes it */
    if (!choice) return PyErr_Occurred() ? -1 : 0;
    if (Py_TYPE(choice) != choice_type) return 0;
    PyObject *kernel = slot(choice, of_choice.kernel), *large = slot(choice, of_choice.large);
    if (given->first && !given->listed) {
        PyObject *least_number = slot(choice, of_choice.least);
        if (!least_number) return 0;
        Py_ssize_t least = PyLong_AsSsize_t(least_number);
        if (least == -1 && PyErr_Occurred()) return -1;
        int small = given->largest < least;
        kernel = small ? slot(choice, of_choice.small) : large;
        int alone = arity == ONE || arity == ONE_AND_OPTIONAL;
        for (Py_ssize_t n = 1; alone && n < given->count; n++) alone = given->arrays[n] == Py_None;
        if (arity != ANY && (alone || arity == TWO)) {
            Py_ssize_t named = PyDict_GET_SIZE(attrs), position = 0;
            PyObject *direct = NULL, *numbered = slot(choice, of_choice.with_number), *name, *value;
            if (!named) direct = slot(choice, of_choice.direct);
            else if (named == 1 && arity == ONE_AND_OPTIONAL && numbered && numbered != Py_None
                     && PyDict_Next(attrs, &position, &name, &value)
                     && (PyFloat_CheckExact(value) || PyLong_CheckExact(value))) {
                direct = PyDict_GetItemWithError(numbered, name);
                if (direct) chosen->number = value;
                else if (PyErr_Occurred()) return -1;
            }
            if (direct && direct != Py_None && given->count == (arity == TWO ? 2 : arity == ONE ? 1 : given->count)) {
                if (small) kernel = direct, chosen->is_direct = 1;
                else if (takes_any_size(direct)) chosen->before = Py_NewRef(direct);
            }
            chosen->is_short = small && arity == ONE_AND_OPTIONAL;
            chosen->is_of_two = arity == TWO;
        }
    }
    if (!kernel) return 0;
    PyObject *engine = slot(choice, of_choice.engine), *plain = slot(choice, of_choice.small);
    if (kernel == large && engine && engine != Py_None && plain) {
        chosen->engine = Py_NewRef(engine);
        kernel = plain;
    }
    chosen->kernel = Py_NewRef(kernel);
    return 1;
}

/* What the kernel gives. */
static PyObject *computed(const Chosen *chosen, const Inputs *given, PyObject *attrs) {
    PyObject *arguments[MOST_INPUTS + 2] = {NULL, numpy}, *kernel = chosen->kernel, *result;
    Py_ssize_t count = chosen->is_short ? 1 : given->count;
    memcpy(arguments + 2, given->arrays, sizeof(PyObject *) * (size_t)count);
    if (chosen->is_direct || chosen->before) {
        PyObject *number = chosen->number ? number_in(((Array *)given->first)->dtype, chosen->number) : NULL;
        if (chosen->number && !number) return NULL;
        PyObject *operands[2] = {arguments[2], number ? number : arguments[3]};
        PyObject *direct = chosen->before ? chosen->before : kernel;
        Py_ssize_t needed = number || chosen->is_of_two ? 2 : 1;
        int ended = by_form(&direct, operands, needed, NULL, &result);
        if (!ended && chosen->is_direct) result = quiet_call(direct, operands, (size_t)needed, NULL);
        Py_XDECREF(number);
        if (ended || chosen->is_direct) return result;
    }
    if (chosen->engine) {
        int fits = given->largest <= most_elements() || takes_any_size(kernel);
        if (fits && by_form(&kernel, arguments + 2, count, attrs, &result)) return result;
        size_t inputs = (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET;
        result = quiet_call(chosen->engine, arguments + 2, inputs, attrs);
        if (result != Py_NotImplemented) return result;
        Py_DECREF(result);
        arguments[1] = numpy;
    }
    if (by_form(&kernel, arguments + 2, count, attrs, &result)) return result;
    size_t positional = ((size_t)count + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET;
    return quiet_call(kernel, arguments + 1, positional, attrs);
}

/* What a kernel's error is for the user: `failed(op, inputs, attrs, error)` raises it. The kernel is not run again. */
static void explain(PyObject *op, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    if (!PyErr_ExceptionMatches(kernel_errors)) return;
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    if (traceback) PyException_SetTraceback(error, traceback);
    PyObject *all = tuple_of(inputs, count);
    if (all) {
        PyObject *arguments[4] = {op, all, attrs, error};
        PyObject *nothing = PyObject_Vectorcall(failed, arguments, 4, NULL);
        Py_DECREF(all);
        Py_XDECREF(nothing);
        if (nothing) {
            PyErr_Restore(type, error, traceback);
            return;
        }
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
}

/* Applies the operator under a trace. `declined` is set where this is not the common case: nothing has run then. */
PyObject *applied(PyObject *trace, PyObject *op, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs,
                         int *declined) {
    *declined = 1;
    if (count > MOST_INPUTS) return NULL;
    PyObject *checks = PyDict_GetItemWithError(flags, str_check);
    if (checks != Py_False) {
        if (!checks && PyErr_Occurred()) *declined = 0;
        return NULL;
    }
    Inputs given = {.count = 0};
    Chosen chosen = {0};
    PyObject *gradient = NULL, *recipe = NULL, *value_class = NULL, *array = NULL, *result = NULL;
    PyObject *kernels = own_attribute(op, str_kernels);
    if (!kernels) goto failed_early;
    if (Py_TYPE(kernels) != kernels_type || !slot(kernels, of_kernels.traits)) goto done;
    long traits = PyLong_AsLong(slot(kernels, of_kernels.traits));
    if (traits == -1 && PyErr_Occurred()) goto failed_early;
    if (traits & WRITES) goto done;
    int fits = read_inputs(&given, inputs, count, traits);
    if (fits > 0) fits = choose(&chosen, kernels, &given, attrs);
    if (fits < 0) goto failed_early;
    if (!fits) goto done;

    int wanted = given.wanted;
    if (wanted) {
        if (!(gradient = own_attribute(op, str_gradient))) goto failed_early;
        PyObject *enabled = gradient == Py_None ? Py_NewRef(Py_False) : of_state(str_grad_enabled);
        wanted = enabled ? PyObject_IsTrue(enabled) : -1;
        Py_XDECREF(enabled);
        if (wanted < 0) goto failed_early;
    }
    if (wanted && traits & SINGLE) {
        PyObject *made = own_attribute(trace, str_single_node);
        if (!made) goto failed_early;
        Py_DECREF(made);
        if (made != (PyObject *)node_type) goto done;
        if (!(recipe = own_attribute(gradient, str_recipe))) goto failed_early;
    }
    int records = wanted && traits & (A_LIST | SEVERAL) ? records_several(trace) : 0;
    if (records < 0 || !(value_class = own_attribute(trace, str_value_class))) goto failed_early;
    if (!PyType_Check(value_class) || !PyType_IsSubtype((PyTypeObject *)value_class, value_type)) goto done;
    PyTypeObject *made_class = (PyTypeObject *)value_class;

    /* From here on it is done here, whatever comes. */
    *declined = 0;
    if (!(array = computed(&chosen, &given, attrs))) explain(op, inputs, count, attrs);
    else if (!(traits & SINGLE)) {
        if (records) result = recorded(made_class, op, attrs, gradient, &given, array, (traits & A_LIST) != 0);
        else if (wanted || !(traits & (A_LIST | SEVERAL))) result = several(trace, op, inputs, attrs, &given, array);
        else result = values_of(made_class, array, traits & A_LIST);
    } else {
        if (Py_TYPE(array) != array_type) Py_SETREF(array, PyObject_CallOneArg(as_array, array));
        if (array) {
            PyObject *edge = wanted ? node_of(op, attrs, gradient, recipe, &given, array) : Py_NewRef(Py_None);
            result = value_of(made_class, array, edge);
            if (result && traits & VIEW && show_source(result, op, inputs, given.arrays, count, attrs) < 0)
                Py_CLEAR(result);
        }
    }
    goto done;
failed_early:
    *declined = 0;
done:
    let_go(&given);
    Py_XDECREF(kernels);
    Py_XDECREF(chosen.kernel);
    Py_XDECREF(chosen.engine);
    Py_XDECREF(chosen.before);
    Py_XDECREF(gradient);
    Py_XDECREF(recipe);
    Py_XDECREF(value_class);
    Py_XDECREF(array);
    return result;
}

/* The trace's own `apply`, in Python. */
static PyObject *handed_on(PyObject *trace, PyObject *op, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    PyObject *all = PyTuple_New(count);
    if (!all) return NULL;
    for (Py_ssize_t n = 0; n < count; n++) PyTuple_SET_ITEM(all, n, Py_NewRef(inputs[n]));
    PyObject *arguments[4] = {trace, op, all, attrs};
    PyObject *result = PyObject_VectorcallMethod(str_apply, arguments, 4, NULL);
    Py_DECREF(all);
    return result;
}

static PyObject *under_trace(PyObject *op, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs) {
    PyObject *trace = of_state(str_trace), *result = NULL;
    int declined = 1;
    if (!trace) return NULL;
    if (Py_TYPE(trace) == trace_type) result = applied(trace, op, inputs, count, attrs, &declined);
    if (declined) result = handed_on(trace, op, inputs, count, attrs);
    Py_DECREF(trace);
    return result;
}

const char apply_under_doc[] = PyDoc_STR("apply_under($module, trace, op, inputs, attrs, /)\n--\n\n"
             "What `trace.apply(op, inputs, attrs)` gives: for traces around another one.");

PyObject *apply_under(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 4 || !PyTuple_Check(arguments[2]) || !PyDict_CheckExact(arguments[3])) {
        PyErr_SetString(PyExc_TypeError, "apply_under(trace, op, inputs, attrs): a tuple of inputs and a dict are needed.");
        return NULL;
    }
    PyObject *result = NULL;
    int declined = 1;
    if (state && Py_TYPE(arguments[0]) == trace_type)
        result = applied(arguments[0], arguments[1], &PyTuple_GET_ITEM(arguments[2], 0), PyTuple_GET_SIZE(arguments[2]),
                         arguments[3], &declined);
    return declined ? PyObject_VectorcallMethod(str_apply, arguments, 4, NULL) : result;
}

const char apply_doc[] = PyDoc_STR("apply($module, op, /, *inputs, **attrs)\n--\n\n"
             "Applies an operator to values, one argument a slot: its single result, or a tuple of its results.");

PyObject *apply(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    if (count < 1) {
        PyErr_SetString(PyExc_TypeError, "apply(op, *inputs, **attrs): an operator must be given.");
        return NULL;
    }
    if (!state) {
        PyErr_SetString(PyExc_RuntimeError, "apply: begin(state) has not been called.");
        return NULL;
    }
    PyObject *attrs = PyDict_New();
    if (!attrs) return NULL;
    for (Py_ssize_t n = 0; names && n < PyTuple_GET_SIZE(names); n++)
        if (PyDict_SetItem(attrs, PyTuple_GET_ITEM(names, n), arguments[count + n]) < 0) {
            Py_DECREF(attrs);
            return NULL;
        }
    PyObject *result = under_trace(arguments[0], arguments + 1, count - 1, attrs);
    Py_DECREF(attrs);
    return result;
}

/* Whether nobody registered a kernel of an operator, which is to be asked: 1, 0, or -1 with an error. */
int is_as_declared(PyObject *op) {
    PyObject *kernels = own_attribute(op, str_kernels);
    if (!kernels) return -1;
    PyObject *registered = Py_TYPE(kernels) == kernels_type ? slot(kernels, of_kernels.registered) : NULL;
    int found = registered && PyTuple_CheckExact(registered) && PyTuple_GET_SIZE(registered) == 0;
    Py_DECREF(kernels);
    return found;
}

int classes_undisturbed(PyObject *op, PyObject **of_values, PyObject **of_parameters) {
    PyObject *trace = state && flags ? of_state(str_trace) : NULL;
    if (!trace) return PyErr_Occurred() ? -1 : 0;
    PyObject *checks = PyDict_GetItemWithError(flags, str_check);
    int found = checks ? checks == Py_False && Py_TYPE(trace) == trace_type : PyErr_Occurred() ? -1 : 0;
    if (found > 0) found = is_as_declared(op);
    if (found > 0
        && (!(*of_values = own_attribute(trace, str_value_class))
            || !(*of_parameters = own_attribute(trace, str_parameter_class))))
        found = -1;
    Py_DECREF(trace);
    return found;
}
