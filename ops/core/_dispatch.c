/* The common case of applying an operator to values of eager code, compiled.

What it means stands in Python: `apply` in trace.py, `EagerTrace.apply` in dygraph/eager.py and `OperatorNode` in
operator_node.py. This does the same for an operator of up to eight values, or lists of them, whose arrays are NumPy's
own, under a trace that is exactly an EagerTrace; several results that are recorded as nodes of another class it hands to
the trace's `_several`.
With anything else, as an operator that writes its inputs, it calls the trace's `apply`, before any kernel has run.
It has no types of its own: it reads and fills the slots of the classes that `serve` is given.
*/
#include "_native.h"

enum { ANY, ONE, TWO, ONE_AND_OPTIONAL };                                     /* `Kernels.arity` */
/* `Kernels.traits` */
enum { SINGLE = 1, PROMOTES = 2, OPTIONAL = 4, WRITES = 8, A_LIST = 16, SEVERAL = 32, LISTS = 64, VIEW = 128 };
enum { MOST_INPUTS = 8 };
static int numbers_are_weak; /* a number takes the dtype of the array that it meets, whatever the shape */

static PyObject *state, *flags, *numpy, *as_array, *next_order, *failed, *dtype_of, *kernel_errors, *expected_namespace;
static PyTypeObject *value_type, *trace_type, *kernels_type, *choice_type, *node_type;
static PyInterpreterState *interpreter;
static struct { Py_ssize_t array, edge, source; } of_value;
static struct { Py_ssize_t arity, traits, of_dtype, registered; } of_kernels;
static struct { Py_ssize_t direct, with_number, engine, small, least, large, kernel; } of_choice;
static struct { Py_ssize_t op, attrs, edges, saved, order, hooks; } of_node;
static PyTypeObject *output_type, *several_type; /* once `serve_walk` has been called */
static struct { Py_ssize_t node, index, position; } of_output;
static PyObject *str_trace, *str_apply, *str_kernels, *str_gradient, *str_recipe, *str_grad_enabled, *str_value_class,
    *str_single_node, *str_check, *str_save_arrays, *str_several, *str_node, *str_is_differentiable,
    *str_parameter_class;

static inline PyObject *slot(PyObject *object, Py_ssize_t offset) { return *(PyObject **)((char *)object + offset); }

/* Fills an empty slot of a new object; takes the reference. */
static inline void fill(PyObject *object, Py_ssize_t offset, PyObject *value) {
    *(PyObject **)((char *)object + offset) = value;
}

static PyObject *shape_of(PyObject *array) {
    int count = ((Array *)array)->dimensions_count;
    PyObject *shape = PyTuple_New(count);
    for (int n = 0; shape && n < count; n++) {
        PyObject *size = PyLong_FromSsize_t(((Array *)array)->dimensions[n]);
        if (!size) Py_CLEAR(shape);
        else PyTuple_SET_ITEM(shape, n, size);
    }
    return shape;
}

/* What this thread has of the state. Its dict is asked for when another thread computed before. */
static uint64_t thread;
static PyObject *of_thread;

static PyObject *of_state(PyObject *name) {
    uint64_t current = PyThreadState_GetID(PyThreadState_Get());
    if (current != thread || !of_thread) {
        PyObject *found = PyObject_GetAttrString(state, "__dict__");
        if (!found) return NULL;
        Py_XSETREF(of_thread, found);
        thread = current;
    }
    PyObject *value = PyDict_Check(of_thread) ? PyDict_GetItemWithError(of_thread, name) : NULL;
    if (value) return Py_NewRef(value);
    return PyErr_Occurred() ? NULL : PyObject_GetAttr(state, name);
}

/* The inputs of an application, as they are read: arrays and edges, in lists where a slot is repeated. */
typedef struct {
    PyObject *arrays[MOST_INPUTS], *edges[MOST_INPUTS]; /* None where nothing is given, or no gradient wanted */
    PyObject *first;                                    /* the first array, borrowed, or NULL */
    Py_ssize_t count, largest;                          /* how many inputs, elements of the largest that is no list's */
    int listed, wanted;
} Inputs;

static void let_go(Inputs *given) {
    for (Py_ssize_t n = 0; n < given->count; n++) {
        Py_XDECREF(given->arrays[n]);
        Py_XDECREF(given->edges[n]);
    }
}

static PyObject *tuple_of(PyObject *const *items, Py_ssize_t count);

/* Lets a result know that it is a view of the first input: as `source_of` in dygraph/views.py. -1 with an error. */
static int show_source(PyObject *view, PyObject *op, PyObject *const *inputs, PyObject *const *arrays, Py_ssize_t count,
                       PyObject *attrs) {
    PyObject *base = inputs[0], *of_base = slot(base, of_value.source), *others = NULL;
    int is_known = PyType_SUPPORTS_WEAKREFS(Py_TYPE(base)) && *PyObject_GET_WEAKREFS_LISTPTR(base); /* to another view */
    base = (of_base && of_base != Py_None) || is_known ? Py_NewRef(base) : PyWeakref_NewRef(base, NULL);
    for (Py_ssize_t n = 1; base && !others && n < count; n++)
        if (inputs[n] != Py_None && !(others = tuple_of(arrays + 1, count - 1))) Py_CLEAR(base);
    PyObject *source = base ? PyTuple_Pack(5, base, arrays[0], op, attrs, others ? others : Py_None) : NULL;
    if (source) {
        Py_XDECREF(slot(view, of_value.source)); /* None: nobody has seen the value yet */
        fill(view, of_value.source, source);
    }
    Py_XDECREF(base);
    Py_XDECREF(others);
    return source ? 0 : -1;
}

/* The array and the edge of a value: 1; 0 where it is something else, or its array NumPy's; new references. */
static int read_value(PyObject *value, PyObject **array, PyObject **edge) {
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
static PyObject *number_in(PyObject *dtype, PyObject *number) {
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
    PyObject *number;          /* the attribute that is given as a second operand, borrowed, or NULL */
    int is_direct, is_short;   /* `is_short`: inputs behind the first are left out */
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
        if (small && arity != ANY && (alone || arity == TWO)) {
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
            if (direct && direct != Py_None && given->count == (arity == TWO ? 2 : arity == ONE ? 1 : given->count))
                kernel = direct, chosen->is_direct = 1;
            chosen->is_short = arity == ONE_AND_OPTIONAL;
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

/* Whether the form that stands for a kernel has computed, or failed; where it declines, the kernel takes its place. */
static int by_form(PyObject **kernel, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs, PyObject **result) {
    if (Py_TYPE(*kernel) != form_type) return 0;
    Form *form = (Form *)*kernel;
    *result = form->function(form->with, inputs, count, attrs);
    if (*result != Py_NotImplemented) return 1;
    Py_DECREF(*result);
    *kernel = form->kernel;
    return 0;
}

/* What the kernel gives. */
static PyObject *computed(const Chosen *chosen, const Inputs *given, PyObject *attrs) {
    PyObject *arguments[MOST_INPUTS + 2] = {NULL, numpy}, *kernel = chosen->kernel, *result;
    Py_ssize_t count = chosen->is_short ? 1 : given->count;
    memcpy(arguments + 2, given->arrays, sizeof(PyObject *) * (size_t)count);
    if (chosen->is_direct) {
        PyObject *number = chosen->number ? number_in(((Array *)given->first)->dtype, chosen->number) : NULL;
        if (chosen->number && !number) return NULL;
        if (number) arguments[2 + count++] = number;
        if (!by_form(&kernel, arguments + 2, count, NULL, &result))
            result = PyObject_Vectorcall(kernel, arguments + 2, count, NULL);
        Py_XDECREF(number);
        return result;
    }
    if (chosen->engine) {
        int fits = given->largest <= most_elements() || is_product_form(kernel);
        if (fits && by_form(&kernel, arguments + 2, count, attrs, &result)) return result;
        size_t inputs = (size_t)count | PY_VECTORCALL_ARGUMENTS_OFFSET;
        result = PyObject_VectorcallDict(chosen->engine, arguments + 2, inputs, attrs);
        if (result != Py_NotImplemented) return result;
        Py_DECREF(result);
        arguments[1] = numpy;
    }
    if (by_form(&kernel, arguments + 2, count, attrs, &result)) return result;
    size_t positional = ((size_t)count + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET;
    return PyObject_VectorcallDict(kernel, arguments + 1, positional, attrs);
}

/* One thing that a node keeps, as a byte of `Gradient.recipe` says: kind, of a result or not, position. */
static PyObject *kept(unsigned char byte, PyObject *const *arrays, PyObject *result) {
    PyObject *array = byte & 8 ? result : arrays[byte & 7];
    if (!array || array == Py_None) return Py_NewRef(Py_None);
    switch (byte >> 4) {
    case 0: return Py_NewRef(array);
    case 1: return shape_of(array);
    default: return PyObject_CallOneArg(dtype_of, ((Array *)array)->dtype);
    }
}

static PyObject *tuple_of(PyObject *const *items, Py_ssize_t count) {
    PyObject *made = PyTuple_New(count);
    for (Py_ssize_t n = 0; made && n < count; n++) PyTuple_SET_ITEM(made, n, Py_NewRef(items[n]));
    return made;
}

/* What a node saves, as `Gradient.save_arrays` picks it. */
static PyObject *saved_of(PyObject *gradient, PyObject *recipe, const Inputs *given, PyObject *result) {
    if (!PyBytes_CheckExact(recipe)) {
        PyObject *all = tuple_of(given->arrays, given->count), *results = PyTuple_Pack(1, result), *saved = NULL;
        PyObject *arguments[3] = {gradient, all, results};
        PyObject *function = all && results ? PyObject_GetAttr(gradient, str_save_arrays) : NULL;
        if (function) saved = PyObject_Vectorcall(function, arguments + 1, 2, NULL);
        Py_XDECREF(function);
        Py_XDECREF(all);
        Py_XDECREF(results);
        return saved;
    }
    Py_ssize_t length = PyBytes_GET_SIZE(recipe);
    PyObject *saved = PyTuple_New(length);
    for (Py_ssize_t n = 0; saved && n < length; n++) {
        unsigned char byte = (unsigned char)PyBytes_AS_STRING(recipe)[n];
        PyObject *one = !(byte & 8) && (byte & 7) >= given->count ? Py_NewRef(Py_None) : kept(byte, given->arrays, result);
        if (!one) Py_CLEAR(saved);
        else PyTuple_SET_ITEM(saved, n, one);
    }
    return saved;
}

/* The node of an application: a SingleResultNode, as its class makes it. NULL with an error. */
static PyObject *node_of(PyObject *op, PyObject *attrs, PyObject *gradient, PyObject *recipe, const Inputs *given,
                         PyObject *result) {
    PyObject *edges = NULL, *order = NULL, *node = NULL, *saved = saved_of(gradient, recipe, given, result);
    if (!saved || !(edges = tuple_of(given->edges, given->count)) || !(order = PyObject_CallNoArgs(next_order))) goto done;
    if (!(node = node_type->tp_alloc(node_type, 0))) goto done;
    fill(node, of_node.op, Py_NewRef(op));
    fill(node, of_node.attrs, Py_NewRef(attrs));
    fill(node, of_node.edges, Py_NewRef(edges));
    fill(node, of_node.saved, Py_NewRef(saved));
    fill(node, of_node.order, Py_NewRef(order));
    fill(node, of_node.hooks, Py_NewRef(Py_None));
done:
    Py_XDECREF(saved);
    Py_XDECREF(edges);
    Py_XDECREF(order);
    return node;
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

/* A value of an array, or of what NumPy makes one of, with an edge; takes the reference to the edge, or NULL. */
static PyObject *value_of(PyTypeObject *value_class, PyObject *given, PyObject *edge) {
    PyObject *array = Py_TYPE(given) == array_type ? Py_NewRef(given) : PyObject_CallOneArg(as_array, given);
    PyObject *value = array && edge ? value_class->tp_alloc(value_class, 0) : NULL;
    if (value) {
        fill(value, of_value.array, Py_NewRef(array));
        fill(value, of_value.edge, Py_NewRef(edge));
        fill(value, of_value.source, Py_NewRef(Py_None));
    }
    Py_XDECREF(array);
    Py_XDECREF(edge);
    return value;
}

/* Values of several arrays, None staying None, in a list or a tuple. */
static PyObject *values_of(PyTypeObject *value_class, PyObject *results, int in_list) {
    PyObject *all = PySequence_Fast(results, "a kernel of several results gives a sequence of arrays");
    if (!all) return NULL;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(all);
    PyObject *made = in_list ? PyList_New(count) : PyTuple_New(count);
    for (Py_ssize_t n = 0; made && n < count; n++) {
        PyObject *one = PySequence_Fast_GET_ITEM(all, n);
        PyObject *value = one == Py_None && !in_list ? Py_NewRef(one) : value_of(value_class, one, Py_NewRef(Py_None));
        if (!value) Py_CLEAR(made);
        else if (in_list) PyList_SET_ITEM(made, n, value);
        else PyTuple_SET_ITEM(made, n, value);
    }
    Py_DECREF(all);
    return made;
}

/* What the trace's `_several` makes of the results, in Python: it records. */
static PyObject *several(PyObject *trace, PyObject *op, PyObject *const *inputs, PyObject *attrs, const Inputs *given,
                         PyObject *results) {
    PyObject *all = tuple_of(inputs, given->count), *arrays = PyList_New(given->count), *made = NULL;
    if (all && arrays) {
        for (Py_ssize_t n = 0; n < given->count; n++) PyList_SET_ITEM(arrays, n, Py_NewRef(given->arrays[n]));
        PyObject *arguments[8] = {trace, op, all, attrs, arrays, results, numpy, given->wanted ? Py_True : Py_False};
        made = PyObject_VectorcallMethod(str_several, arguments, 8, NULL);
    }
    Py_XDECREF(all);
    Py_XDECREF(arrays);
    return made;
}

/* The edge of one of several results of a node; `position` is borrowed. */
static PyObject *output_of(PyObject *node, Py_ssize_t index, PyObject *position) {
    PyObject *number = PyLong_FromSsize_t(index), *output = number ? output_type->tp_alloc(output_type, 0) : NULL;
    if (output) {
        fill(output, of_output.node, Py_NewRef(node));
        fill(output, of_output.index, Py_NewRef(number));
        fill(output, of_output.position, Py_NewRef(position));
    }
    Py_XDECREF(number);
    return output;
}

/* A value of one of several results. That of a repeated one has an edge, others where their dtype takes gradients. */
static PyObject *result_of(PyTypeObject *value_class, PyObject *node, PyObject *given, Py_ssize_t index,
                           PyObject *position) {
    PyObject *array = Py_TYPE(given) == array_type ? Py_NewRef(given) : PyObject_CallOneArg(as_array, given);
    PyObject *value = NULL, *edge = NULL;
    int leads = position != Py_None;
    if (array && !leads) {
        PyObject *dtype = PyObject_CallOneArg(dtype_of, ((Array *)array)->dtype);
        PyObject *found = dtype ? PyObject_GetAttr(dtype, str_is_differentiable) : NULL;
        leads = found ? PyObject_IsTrue(found) : -1;
        Py_XDECREF(dtype);
        Py_XDECREF(found);
    }
    if (array && leads >= 0) edge = leads ? output_of(node, index, position) : Py_NewRef(Py_None);
    if (edge) value = value_of(value_class, array, edge);
    Py_XDECREF(array);
    return value;
}

/* The results of an operator with several, or with a repeated one, and the node that they lead to: `_several`. */
static PyObject *recorded(PyTypeObject *value_class, PyObject *op, PyObject *attrs, PyObject *gradient,
                          const Inputs *given, PyObject *results, int in_list) {
    PyObject *all = PySequence_Fast(results, "a kernel of several results gives a sequence of arrays");
    PyObject *kept_results = in_list ? PyTuple_Pack(1, results) : Py_NewRef(results), *made = NULL;
    PyObject *arrays = PyList_New(given->count), *edges = PyList_New(given->count), *order = NULL, *node = NULL;
    PyObject *saved = NULL, *function = NULL;
    if (!all || !kept_results || !arrays || !edges) goto done;
    for (Py_ssize_t n = 0; n < given->count; n++) {
        PyList_SET_ITEM(arrays, n, Py_NewRef(given->arrays[n]));
        PyList_SET_ITEM(edges, n, Py_NewRef(given->edges[n]));
    }
    if (!(function = PyObject_GetAttr(gradient, str_save_arrays))) goto done;
    PyObject *arguments[3] = {gradient, arrays, kept_results};
    if (!(saved = PyObject_Vectorcall(function, arguments + 1, 2, NULL))) goto done;
    if (!(order = PyObject_CallNoArgs(next_order)) || !(node = several_type->tp_alloc(several_type, 0))) goto done;
    fill(node, of_node.op, Py_NewRef(op));
    fill(node, of_node.attrs, Py_NewRef(attrs));
    fill(node, of_node.edges, Py_NewRef(edges));
    fill(node, of_node.saved, Py_NewRef(saved));
    fill(node, of_node.order, Py_NewRef(order));
    fill(node, of_node.hooks, Py_NewRef(Py_None));
    Py_ssize_t count = PySequence_Fast_GET_SIZE(all);
    made = in_list ? PyList_New(count) : PyTuple_New(count);
    for (Py_ssize_t n = 0; made && n < count; n++) {
        PyObject *one = PySequence_Fast_GET_ITEM(all, n), *position = NULL, *value = NULL;
        if (one == Py_None && !in_list) value = Py_NewRef(one);
        else if ((position = in_list ? PyLong_FromSsize_t(n) : Py_NewRef(Py_None)))
            value = result_of(value_class, node, one, in_list ? 0 : n, position);
        Py_XDECREF(position);
        if (!value) Py_CLEAR(made);
        else if (in_list) PyList_SET_ITEM(made, n, value);
        else PyTuple_SET_ITEM(made, n, value);
    }
done:
    Py_XDECREF(all);
    Py_XDECREF(kept_results);
    Py_XDECREF(arrays);
    Py_XDECREF(edges);
    Py_XDECREF(function);
    Py_XDECREF(saved);
    Py_XDECREF(order);
    Py_XDECREF(node);
    return made;
}

/* Whether a trace records operators with several results as `recorded` does: 1, 0, or -1 with an error. */
static int records_several(PyObject *trace) {
    if (!several_type) return 0;
    PyObject *made = PyObject_GetAttr(trace, str_node);
    Py_XDECREF(made);
    return made ? made == (PyObject *)several_type : -1;
}

/* Applies the operator under a trace. `declined` is set where this is not the common case: nothing has run then. */
static PyObject *applied(PyObject *trace, PyObject *op, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs,
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
    PyObject *kernels = PyObject_GetAttr(op, str_kernels);
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
        if (!(gradient = PyObject_GetAttr(op, str_gradient))) goto failed_early;
        PyObject *enabled = gradient == Py_None ? Py_NewRef(Py_False) : of_state(str_grad_enabled);
        wanted = enabled ? PyObject_IsTrue(enabled) : -1;
        Py_XDECREF(enabled);
        if (wanted < 0) goto failed_early;
    }
    if (wanted && traits & SINGLE) {
        PyObject *made = PyObject_GetAttr(trace, str_single_node);
        if (!made) goto failed_early;
        Py_DECREF(made);
        if (made != (PyObject *)node_type) goto done;
        if (!(recipe = PyObject_GetAttr(gradient, str_recipe))) goto failed_early;
    }
    int records = wanted && traits & (A_LIST | SEVERAL) ? records_several(trace) : 0;
    if (records < 0 || !(value_class = PyObject_GetAttr(trace, str_value_class))) goto failed_early;
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

PyDoc_STRVAR(apply_under_doc,
             "apply_under($module, trace, op, inputs, attrs, /)\n--\n\n"
             "What `trace.apply(op, inputs, attrs)` gives: for traces around another one.");

static PyObject *apply_under(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
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

PyDoc_STRVAR(apply_doc,
             "apply($module, op, /, *inputs, **attrs)\n--\n\n"
             "Applies an operator to values, one argument a slot: its single result, or a tuple of its results.");

static PyObject *apply(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
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

/* Python's operators of values: `x + y`, `-x`, `x < y`, …, and what Python does where one of both is something else. */

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATIVE, ARITHMETIC, COMPARISONS = 6 };
static PyObject *operators[ARITHMETIC], *forward[ARITHMETIC], *reverse[ARITHMETIC];
static PyObject *compared[COMPARISONS], *comparing[COMPARISONS]; /* operators and functions, in Python's order */
static PyObject *scale, *float32, *float64, *str_scale, *str_bias;

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

/* `number - x`: as `_reverse_subtract`. */
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

static int is_number(PyObject *x) { return PyFloat_CheckExact(x) || PyLong_CheckExact(x); }

static PyObject *binary(PyObject *x, PyObject *y, int which) {
    if (!operators[which]) Py_RETURN_NOTIMPLEMENTED;
    int is_value = PyObject_TypeCheck(x, value_type), declined = 1;
    PyObject *result = NULL, *inputs[2] = {x, y};
    if (is_value && PyObject_TypeCheck(y, value_type)) {
        if (which != DIVIDE || (holds_floats(x) && holds_floats(y)))
            result = applied_here(operators[which], inputs, 2, NULL, NULL, &declined);
    } else if (is_value && is_number(y) && (holds_floats(x) || (which != DIVIDE && holds_integer(x, y))))
        result = with_number(x, y, which, 0, &declined);
    else if (!is_value && is_number(x) && (holds_floats(y) || (which != DIVIDE && holds_integer(y, x))))
        result = with_number(y, x, which, 1, &declined);
    if (!declined) return result;
    PyObject *straight[2] = {x, y}, *turned[2] = {y, x};
    return is_value ? PyObject_Vectorcall(forward[which], straight, 2, NULL)
                    : PyObject_Vectorcall(reverse[which], turned, 2, NULL);
}

static PyObject *add(PyObject *x, PyObject *y) { return binary(x, y, ADD); }
static PyObject *subtract(PyObject *x, PyObject *y) { return binary(x, y, SUBTRACT); }
static PyObject *multiply(PyObject *x, PyObject *y) { return binary(x, y, MULTIPLY); }
static PyObject *divide(PyObject *x, PyObject *y) { return binary(x, y, DIVIDE); }

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
    if (!(kernels = PyObject_GetAttr(op, str_kernels))) goto failed_early;
    if (Py_TYPE(kernels) != kernels_type || !read_value(x, &array, &edge)) goto done;
    PyObject *of_dtype = slot(kernels, of_kernels.of_dtype);
    PyObject *choice = of_dtype && PyDict_Check(of_dtype)
        ? PyDict_GetItemWithError(of_dtype, ((Array *)array)->dtype) : NULL;
    if (!choice || Py_TYPE(choice) != choice_type) goto done;
    PyObject *least = slot(choice, of_choice.least), *direct = slot(choice, of_choice.direct);
    if (!least || !direct || direct == Py_None || size_of(array) >= PyLong_AsSsize_t(least)) goto done;
    function = Py_NewRef(direct);
    if (!(class = PyObject_GetAttr(trace, str_value_class))) goto failed_early;
    if (!PyType_Check(class) || !PyType_IsSubtype((PyTypeObject *)class, value_type)) goto done;
    *declined = 0;
    PyObject *arguments[2] = {array, number_in(((Array *)array)->dtype, number)};
    PyObject *computing = function;
    if (arguments[1] && !by_form(&computing, arguments, 2, NULL, &found))
        found = PyObject_Vectorcall(computing, arguments, 2, NULL);
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

PyDoc_STRVAR(serve_facts_doc, "serve_facts($module, shape, dtype, ndim, /)\n--\n\n"
                              "Takes the functions that tell what `Syntax` tells of arrays of NumPy's own.");

static PyObject *serve_facts(PyObject *module, PyObject *arguments) {
    PyObject *shape, *dtype, *ndim;
    if (!PyArg_ParseTuple(arguments, "OOO", &shape, &dtype, &ndim)) return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    facts.shape = shape, facts.dtype = dtype, facts.ndim = ndim;
    Py_RETURN_NONE;
}

static PyType_Slot syntax_slots[] = {
    {Py_nb_add, add}, {Py_nb_subtract, subtract}, {Py_nb_multiply, multiply}, {Py_nb_true_divide, divide},
    {Py_nb_negative, negative}, {Py_tp_richcompare, compare}, {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_getset, syntax_facts},
    {Py_tp_doc, "The operators of values: +, -, *, / and comparisons. It holds nothing."}, {0, NULL}};
static PyType_Spec syntax = {"proa.ops.core._dispatch.Syntax", sizeof(PyObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, syntax_slots};

PyDoc_STRVAR(serve_syntax_doc,
             "serve_syntax($module, operators, forward, reverse, compared, comparing, scale, dtypes, weak, /)\n--\n\n"
             "Takes the operators of +, -, *, / and of <, <=, ==, !=, >, >=, the functions that stand for them with\n"
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

static PyObject *serve_syntax(PyObject *module, PyObject *arguments) {
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

/* The backward walk: `Walk.run` and `_reach` in backward.py say what these do. */

static PyObject *read_arrays, *superseded, *str_retain, *str_pending, *str_of_nodes, *str_visit, *str_read_saved,
    *str_add, *str_run, *str_count, *str_values, *str_observer, *str_compiled, *sum_to;
static PyTypeObject *leaf_type, *base_node_type;
static struct { Py_ssize_t edges, order; } of_base_node;
static struct { Py_ssize_t hooks, observers; } of_leaf;

/* Adds a gradient to what is there for one of several results of a node: -1 with an error. */
static int accumulate_output(PyObject *pending, PyObject *edge, PyObject *gradient) {
    PyObject *node = slot(edge, of_output.node), *number = slot(edge, of_output.index);
    Py_ssize_t index = number ? PyLong_AsSsize_t(number) : -1;
    if (!node || index < 0) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an Output must have a node, and an index of 0 or more");
        return -1;
    }
    PyObject *gs = PyDict_GetItemWithError(pending, node);
    if (gs) Py_INCREF(gs);
    else {
        if (PyErr_Occurred()) return -1;
        PyObject *many = PyObject_GetAttr(node, str_count);
        Py_ssize_t count = many ? PyLong_AsSsize_t(many) : -1;
        Py_XDECREF(many);
        if (count < 0 || !(gs = PyList_New(count))) return -1;
        for (Py_ssize_t n = 0; n < count; n++) PyList_SET_ITEM(gs, n, Py_NewRef(Py_None));
        if (PyDict_SetItem(pending, node, gs) < 0) {
            Py_DECREF(gs);
            return -1;
        }
    }
    int ended = -1;
    if (!PyList_CheckExact(gs) || index >= PyList_GET_SIZE(gs))
        PyErr_SetString(PyExc_IndexError, "an Output's index is that of one of its node's results");
    else {
        PyObject *old = Py_NewRef(PyList_GET_ITEM(gs, index));
        PyObject *sum = old == Py_None ? Py_NewRef(gradient) : sum_of_arrays(old, gradient);
        Py_DECREF(old);
        if (sum) ended = PyList_SetItem(gs, index, sum);
    }
    Py_DECREF(gs);
    return ended;
}

/* Adds a gradient to what is there for an edge. */
static int accumulate(PyObject *walk, PyObject *pending, PyObject *edge, PyObject *gradient) {
    if (Py_TYPE(edge) == &PyList_Type) { /* of a repeated slot */
        PyObject *edges = Py_NewRef(edge), *parts = PySequence_Fast(gradient, "a repeated input's gradient is a list");
        Py_ssize_t count = PyList_GET_SIZE(edges);
        int ended = parts ? 0 : -1;
        if (parts && PySequence_Fast_GET_SIZE(parts) != count) {
            PyErr_SetString(PyExc_ValueError, "a gradient rule must give a gradient for each value of a repeated input");
            ended = -1;
        }
        for (Py_ssize_t n = 0; !ended && n < count && n < PyList_GET_SIZE(edges); n++) {
            PyObject *one = PyList_GET_ITEM(edges, n), *part = PySequence_Fast_GET_ITEM(parts, n);
            if (one != Py_None && part != Py_None) ended = accumulate(walk, pending, one, part);
        }
        Py_DECREF(edges);
        Py_XDECREF(parts);
        return ended;
    }
    if (Py_TYPE(edge) == output_type) {
        if (slot(edge, of_output.position) == Py_None) return accumulate_output(pending, edge, gradient);
        PyObject *arguments[3] = {walk, edge, gradient}; /* of a repeated result */
        PyObject *nothing = PyObject_VectorcallMethod(str_add, arguments, 3, NULL);
        Py_XDECREF(nothing);
        return nothing ? 0 : -1;
    }
    PyObject *old = PyDict_GetItemWithError(pending, edge);
    if (!old) return PyErr_Occurred() ? -1 : PyDict_SetItem(pending, edge, gradient);
    Py_INCREF(old);
    PyObject *sum = sum_of_arrays(old, gradient);
    Py_DECREF(old);
    int failed_to = sum ? PyDict_SetItem(pending, edge, sum) : -1;
    Py_XDECREF(sum);
    return failed_to;
}

/* What may be computed without Python's rules in a walk, as nobody watches it: rules that are arithmetic, and sums over
   what was broadcast. */
typedef struct { int rules, sums; } Allowed;

/* Whether nobody registered a kernel of an operator, which is to be asked: 1, 0, or -1 with an error. */
static int is_as_declared(PyObject *op) {
    PyObject *kernels = PyObject_GetAttr(op, str_kernels);
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
        && (!(*of_values = PyObject_GetAttr(trace, str_value_class))
            || !(*of_parameters = PyObject_GetAttr(trace, str_parameter_class))))
        found = -1;
    Py_DECREF(trace);
    return found;
}

/* -1 with an error. */
static int allow(Allowed *allowed) {
    PyObject *observer = of_state(str_observer);
    if (!observer) return -1;
    Py_DECREF(observer);
    PyObject *checks = PyDict_GetItemWithError(flags, str_check);
    if (!checks && PyErr_Occurred()) return -1;
    allowed->rules = observer == Py_None && checks == Py_False;
    allowed->sums = allowed->rules ? is_as_declared(sum_to) : 0;
    return allowed->sums < 0 ? -1 : 0;
}

/* Adds what the programs of a rule give to what is there for its inputs: 1; 0 where Python has to, -1 with an error. */
static int step_by_programs(PyObject *walk, PyObject *pending, PyObject *op, PyObject *rules, PyObject *gradient,
                            PyObject *saved, PyObject *attrs, PyObject *edges, int sums) {
    PyObject *compiled = PyObject_GetAttr(rules, str_compiled), *found[MOST_INPUTS] = {NULL};
    if (!compiled) return -1;
    int ended = 0;
    Py_ssize_t count = PyTuple_CheckExact(edges) ? PyTuple_GET_SIZE(edges) : 0;
    if (compiled != Py_None && count && count <= MOST_INPUTS && PyTuple_CheckExact(saved))
        if ((ended = is_as_declared(op)) > 0) {
            PyObject *const *each = &PyTuple_GET_ITEM(edges, 0);
            if (!PyUnicode_Check(compiled)) ended = rule_gradients(compiled, gradient, saved, attrs, each, count, sums, found);
            else {
                int are_leaves[2] = {Py_TYPE(each[0]) == leaf_type, count == 2 && Py_TYPE(each[1]) == leaf_type};
                ended = count == 2 ? product_gradients(gradient, saved, attrs, each, are_leaves, found) : 0;
            }
        }
    Py_DECREF(compiled);
    for (Py_ssize_t n = 0; ended > 0 && n < count; n++) {
        PyObject *edge = PyTuple_GET_ITEM(edges, n);
        if (edge != Py_None && found[n] != Py_None && accumulate(walk, pending, edge, found[n]) < 0) ended = -1;
    }
    for (Py_ssize_t n = 0; n < MOST_INPUTS; n++) Py_XDECREF(found[n]);
    return ended;
}

/* Lets go what a node saved. */
static void free_saved(PyObject *node) {
    PyObject *old = slot(node, of_node.saved);
    fill(node, of_node.saved, Py_NewRef(Py_None));
    Py_XDECREF(old);
}

/* One node of an operator, its gradient, or the list of its results', taken from `pending`. */
static int step(PyObject *walk, PyObject *pending, PyObject *node, PyObject *gradient, int retain,
                const Allowed *allowed) {
    PyObject *saved = NULL, *rules = NULL, *gs = NULL, *found = NULL, *edges = Py_NewRef(slot(node, of_node.edges));
    PyObject *op = Py_NewRef(slot(node, of_node.op)), *attrs = Py_NewRef(slot(node, of_node.attrs));
    int ended = -1, arrays;
    PyObject *reader = PyObject_GetAttr(walk, str_read_saved);
    if (!reader) goto done;
    arrays = reader == read_arrays;
    if (reader == read_arrays && PyDict_GET_SIZE(superseded) == 0) saved = Py_NewRef(slot(node, of_node.saved));
    else saved = PyObject_CallOneArg(reader, node);
    Py_DECREF(reader);
    if (!saved || !(rules = PyObject_GetAttr(op, str_gradient))) goto done;
    if (arrays && allowed->rules && Py_TYPE(node) == node_type) {
        int by_programs = step_by_programs(walk, pending, op, rules, gradient, saved, attrs, edges, allowed->sums);
        if (by_programs) {
            ended = by_programs < 0 ? -1 : 0;
            if (!ended && !retain) free_saved(node);
            goto done;
        }
    }
    if (Py_TYPE(node) == several_type) gs = Py_NewRef(gradient);
    else if ((gs = PyList_New(1))) PyList_SET_ITEM(gs, 0, Py_NewRef(gradient));
    else goto done;
    PyObject *arguments[5] = {rules, gs, saved, attrs, edges};
    PyObject *run = PyObject_GetAttr(rules, str_run);
    if (!run) goto done;
    found = PyObject_Vectorcall(run, arguments + 1, 4, NULL);
    Py_DECREF(run);
    if (!found) goto done;
    if (!retain) free_saved(node);
    PyObject *gradients = PySequence_Fast(found, "a gradient rule gives a gradient for each input");
    if (!gradients) goto done;
    PyObject *targets = PySequence_Fast(edges, "the edges of a node are a sequence");
    if (!targets) {
        Py_DECREF(gradients);
        goto done;
    }
    Py_ssize_t count = PySequence_Fast_GET_SIZE(targets);
    ended = count == PySequence_Fast_GET_SIZE(gradients) ? 0 : -1;
    if (ended) PyErr_SetString(PyExc_ValueError, "a gradient rule must give a gradient for each input");
    for (Py_ssize_t n = 0; !ended && n < count; n++) {
        PyObject *edge = PySequence_Fast_GET_ITEM(targets, n), *one = PySequence_Fast_GET_ITEM(gradients, n);
        if (edge != Py_None && one != Py_None) ended = accumulate(walk, pending, edge, one);
    }
    Py_DECREF(gradients);
    Py_DECREF(targets);
done:
    Py_XDECREF(saved);
    Py_XDECREF(rules);
    Py_XDECREF(gs);
    Py_XDECREF(found);
    Py_DECREF(edges);
    Py_DECREF(op);
    Py_DECREF(attrs);
    return ended;
}

/* 1 where the node is one that `step` is for and no hook or target asks for its gradient; 0 where not. */
static int is_plain(PyObject *node, PyObject *of_nodes) {
    if (Py_TYPE(node) != node_type && Py_TYPE(node) != several_type) return 0;
    Py_ssize_t offsets[] = {of_node.op, of_node.attrs, of_node.edges, of_node.saved, of_node.hooks};
    for (size_t n = 0; n < sizeof offsets / sizeof *offsets; n++)
        if (!slot(node, offsets[n])) return 0;
    if (slot(node, of_node.hooks) != Py_None || !PyTuple_CheckExact(slot(node, of_node.saved))) return 0;
    PyObject *edges = slot(node, of_node.edges);
    if (!PyTuple_CheckExact(edges) && !PyList_CheckExact(edges)) return 0;
    if (PyDict_GET_SIZE(of_nodes) == 0) return 1;
    int asked = PyDict_Contains(of_nodes, node);
    return asked < 0 ? -1 : !asked;
}

PyDoc_STRVAR(walk_doc, "walk($module, walk, nodes, useful, /)\n--\n\n"
                       "Visits the nodes in turn as `walk._visit(node, useful)` does.");

static PyObject *walk(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 3 || !PyList_CheckExact(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "walk(walk, nodes, useful): nodes must be a list.");
        return NULL;
    }
    PyObject *self = arguments[0], *nodes = arguments[1], *useful = arguments[2], *result = NULL;
    PyObject *pending = PyObject_GetAttr(self, str_pending), *of_nodes = PyObject_GetAttr(self, str_of_nodes);
    PyObject *retained = PyObject_GetAttr(self, str_retain);
    int retain = retained ? PyObject_IsTrue(retained) : -1;
    Allowed allowed = {0, 0};
    if (!pending || !of_nodes || retain < 0 || (sum_to && allow(&allowed) < 0)) goto done;
    if (!PyDict_CheckExact(pending) || !PyDict_CheckExact(of_nodes)) {
        PyErr_SetString(PyExc_TypeError, "walk(walk, nodes, useful): pending and of_nodes must be dicts.");
        goto done;
    }
    begin_walk_of_products();
    for (Py_ssize_t n = 0; n < PyList_GET_SIZE(nodes); n++) {
        PyObject *node = Py_NewRef(PyList_GET_ITEM(nodes, n)), *gradient = NULL;
        int ended = 0, plain = base_node_type && superseded ? is_plain(node, of_nodes) : 0;
        if (plain < 0) ended = -1;
        else if (!plain) {
            PyObject *given[3] = {self, node, useful}, *nothing = PyObject_VectorcallMethod(str_visit, given, 3, NULL);
            Py_XDECREF(nothing);
            ended = nothing ? 0 : -1;
        } else if ((gradient = PyDict_GetItemWithError(pending, node))) {
            Py_INCREF(gradient);
            int wanted = useful == Py_None ? 1 : PySet_Contains(useful, node);
            if (wanted < 0 || PyDict_DelItem(pending, node) < 0) ended = -1;
            else if (wanted) ended = step(self, pending, node, gradient, retain, &allowed);
            Py_DECREF(gradient);
        } else if (PyErr_Occurred()) ended = -1;
        Py_DECREF(node);
        if (ended) goto done;
        if (PyErr_CheckSignals() < 0) goto done;
    }
    result = Py_NewRef(Py_None);
done:
    end_walk_of_products();
    Py_XDECREF(pending);
    Py_XDECREF(of_nodes);
    Py_XDECREF(retained);
    return result;
}

/* Looks at one edge: a leaf to be watched comes to `watched`, a node not seen yet to `seen` and `stack`. */
static int look(PyObject *edge, PyObject *since, PyObject *seen, PyObject *stack, PyObject *watched) {
    if (Py_TYPE(edge) == leaf_type) {
        PyObject *hooks = slot(edge, of_leaf.hooks), *observers = slot(edge, of_leaf.observers);
        int is_watched = hooks && hooks != Py_None ? PyObject_IsTrue(hooks) : 0;
        if (!is_watched && observers && observers != Py_None) is_watched = PyObject_IsTrue(observers);
        return is_watched > 0 ? PyDict_SetItem(watched, edge, Py_None) : is_watched;
    }
    PyObject *node = Py_TYPE(edge) == output_type ? PyObject_GetAttr(edge, str_node) : Py_NewRef(edge);
    if (!node) return -1;
    int ended = 0;
    if (node != Py_None) {
        if (!PyObject_TypeCheck(node, base_node_type)) {
            PyErr_Format(PyExc_TypeError, "an edge leads to a node or a leaf, not to %s", Py_TYPE(node)->tp_name);
            ended = -1;
        } else if ((ended = PySet_Contains(seen, node)) == 0) {
            PyObject *order = slot(node, of_base_node.order);
            int reached = order ? PyObject_RichCompareBool(order, since, Py_GE) : 0;
            if (reached < 0 || (reached && (PySet_Add(seen, node) < 0 || PyList_Append(stack, node) < 0))) ended = -1;
        } else if (ended > 0) ended = 0;
    }
    Py_DECREF(node);
    return ended;
}

PyDoc_STRVAR(reach_doc, "reach($module, roots, since, watched, /)\n--\n\n"
                        "The set of nodes that `_reach` sorts. Leaves with hooks or observers come to `watched`.");

static PyObject *reach(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 3 || !PyDict_Check(arguments[2]) || !base_node_type) {
        PyErr_SetString(PyExc_TypeError, "reach(roots, since, watched): watched must be a dict.");
        return NULL;
    }
    PyObject *since = arguments[1], *watched = arguments[2];
    PyObject *seen = PySet_New(NULL), *stack = PyList_New(0), *edges = PySequence_Tuple(arguments[0]);
    while (seen && stack && edges) {
        PyObject *all = PySequence_Fast(edges, "the edges of a node are a sequence");
        Py_CLEAR(edges);
        int ended = all ? 0 : -1;
        for (Py_ssize_t n = 0; !ended && n < PySequence_Fast_GET_SIZE(all); n++) {
            PyObject *edge = PySequence_Fast_GET_ITEM(all, n);
            if (edge == Py_None) continue;
            if (!PyList_CheckExact(edge)) ended = look(edge, since, seen, stack, watched);
            else
                for (Py_ssize_t m = 0; !ended && m < PyList_GET_SIZE(edge); m++)
                    if (PyList_GET_ITEM(edge, m) != Py_None)
                        ended = look(PyList_GET_ITEM(edge, m), since, seen, stack, watched);
        }
        Py_XDECREF(all);
        Py_ssize_t left = PyList_GET_SIZE(stack);
        if (ended) break;
        if (!left) {
            Py_DECREF(stack);
            return seen;
        }
        edges = Py_XNewRef(slot(PyList_GET_ITEM(stack, left - 1), of_base_node.edges));
        if (!edges) PyErr_SetString(PyExc_AttributeError, "edges");
        if (!edges || PyList_SetSlice(stack, left - 1, left, NULL) < 0) break;
    }
    Py_XDECREF(seen);
    Py_XDECREF(stack);
    Py_XDECREF(edges);
    return NULL;
}

/* A saved value as one with an edge: an array, a list or a tuple of arrays, or None. */
static PyObject *connected_value(PyTypeObject *value_class, PyObject *node, PyObject *value, int of_output_,
                                 Py_ssize_t index, PyObject *edges) {
    if (value == Py_None) return Py_NewRef(value);
    if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value)) {
        PyObject *edge = !of_output_ ? Py_NewRef(PySequence_Fast_GET_ITEM(edges, index))
            : Py_TYPE(node) == node_type ? Py_NewRef(node) : output_of(node, index, Py_None);
        if (!edge) return NULL;
        PyObject *made = value_class->tp_alloc(value_class, 0); /* the array is what was saved, whatever it is */
        if (!made) {
            Py_DECREF(edge);
            return NULL;
        }
        fill(made, of_value.array, Py_NewRef(value));
        fill(made, of_value.edge, edge);
        fill(made, of_value.source, Py_NewRef(Py_None));
        return made;
    }
    Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    PyObject *of_inputs = of_output_ ? Py_None : PySequence_Fast_GET_ITEM(edges, index), *all = PyList_New(count);
    if (all && of_inputs != Py_None && (!PyList_CheckExact(of_inputs) || PyList_GET_SIZE(of_inputs) != count)) {
        PyErr_SetString(PyExc_ValueError, "a repeated input has an edge for each value");
        Py_CLEAR(all);
    }
    for (Py_ssize_t n = 0; all && n < count; n++) {
        PyObject *position = of_output_ ? PyLong_FromSsize_t(n) : Py_NewRef(Py_None), *edge = NULL, *made = NULL;
        if (position) edge = of_output_ ? output_of(node, index, position)
            : Py_NewRef(of_inputs == Py_None ? Py_None : PyList_GET_ITEM(of_inputs, n));
        Py_XDECREF(position);
        if (edge && (made = value_class->tp_alloc(value_class, 0))) {
            fill(made, of_value.array, Py_NewRef(PySequence_Fast_GET_ITEM(value, n)));
            fill(made, of_value.edge, Py_NewRef(edge));
            fill(made, of_value.source, Py_NewRef(Py_None));
            PyList_SET_ITEM(all, n, made);
        } else Py_CLEAR(all);
        Py_XDECREF(edge);
    }
    return all;
}

PyDoc_STRVAR(connected_doc, "connected($module, node, value_class, /)\n--\n\n"
                            "What a node saved, its values as Tensors of a class that lead to where they came from.");

static PyObject *connected(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    PyObject *node = count == 2 ? arguments[0] : NULL;
    if (!node || !several_type || (Py_TYPE(node) != node_type && Py_TYPE(node) != several_type)
        || !PyType_Check(arguments[1]) || !PyType_IsSubtype((PyTypeObject *)arguments[1], value_type)) {
        PyErr_SetString(PyExc_TypeError, "connected(node, value_class): an operator's node, and a class of values.");
        return NULL;
    }
    PyObject *saved = slot(node, of_node.saved), *given = slot(node, of_node.edges), *op = slot(node, of_node.op);
    if (!saved || !PyTuple_CheckExact(saved) || !given || !op) {
        PyErr_SetString(PyExc_TypeError, "connected(node, value_class): the node has nothing saved.");
        return NULL;
    }
    PyObject *gradient = PyObject_GetAttr(op, str_gradient), *values = NULL, *made = NULL;
    PyObject *edges = PySequence_Fast(given, "the edges of a node are a sequence");
    saved = Py_NewRef(saved);
    if (!gradient || !edges) goto done;
    if (gradient == Py_None || !PyTuple_GET_SIZE(saved)) {
        made = Py_NewRef(saved);
        goto done;
    }
    if (!(values = PyObject_GetAttr(gradient, str_values)) || !PyTuple_CheckExact(values)
        || !(made = PyTuple_New(PyTuple_GET_SIZE(saved))))
        goto done;
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(saved); n++)
        PyTuple_SET_ITEM(made, n, Py_NewRef(PyTuple_GET_ITEM(saved, n)));
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(values); n++) {
        Py_ssize_t place, index;
        int is_output;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(values, n), "npn", &place, &is_output, &index)) {
            Py_CLEAR(made);
            break;
        }
        PyObject *one = NULL;
        if (place < 0 || place >= PyTuple_GET_SIZE(saved) || index < 0
            || (!is_output && index >= PySequence_Fast_GET_SIZE(edges)))
            PyErr_SetString(PyExc_IndexError, "a saved value is of an input or a result of the operator");
        else
            one = connected_value((PyTypeObject *)arguments[1], node, PyTuple_GET_ITEM(saved, place), is_output, index,
                                  edges);
        if (!one) {
            Py_CLEAR(made);
            break;
        }
        PyObject *old = PyTuple_GET_ITEM(made, place);
        PyTuple_SET_ITEM(made, place, one);
        Py_DECREF(old);
    }
done:
    if (!made && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a gradient's values are a tuple");
    Py_XDECREF(gradient);
    Py_XDECREF(values);
    Py_XDECREF(edges);
    Py_DECREF(saved);
    return made;
}

PyDoc_STRVAR(begin_doc, "begin($module, state, /)\n--\n\nTakes what knows each thread's trace.");

static PyObject *begin(PyObject *module, PyObject *given) {
    Py_XSETREF(state, Py_NewRef(given));
    Py_CLEAR(of_thread);
    Py_RETURN_NONE;
}

/* The offset of a slot of a class; -1 with an error where it is none. */
Py_ssize_t offset_of(PyTypeObject *type, const char *name) {
    PyObject *descriptor = PyObject_GetAttrString((PyObject *)type, name);
    if (!descriptor) return -1;
    Py_ssize_t offset = -1;
    if (Py_TYPE(descriptor) != &PyMemberDescr_Type || ((PyMemberDescrObject *)descriptor)->d_member->type != T_OBJECT_EX
        || !PyType_IsSubtype(type, ((PyMemberDescrObject *)descriptor)->d_common.d_type))
        PyErr_Format(PyExc_TypeError, "%s.%s must be a slot", type->tp_name, name);
    else offset = ((PyMemberDescrObject *)descriptor)->d_member->offset;
    Py_DECREF(descriptor);
    return offset;
}

/* Whether arrays lie in memory as `Array` says: two probes of different shapes and dtypes. */
static int looks_as_expected(PyTypeObject *type, PyObject *probe, Py_ssize_t rows, Py_ssize_t columns) {
    if (Py_TYPE(probe) != type || type->tp_basicsize < (Py_ssize_t)sizeof(Array)) return 0;
    PyObject *dtype = PyObject_GetAttrString(probe, "dtype");
    if (!dtype) return -1;
    Array *array = (Array *)probe;
    int fits = array->dtype == dtype && array->dimensions_count == 2 && array->dimensions[0] == rows
        && array->dimensions[1] == columns;
    Py_DECREF(dtype);
    return fits;
}

PyDoc_STRVAR(serve_walk_doc,
             "serve_walk($module, node, leaf, output, several, read_arrays, superseded, sum_to, /)\n--\n\n"
             "Takes the classes of the backward walk, what reads saved arrays, what has entries when some changed, and the\n"
             "operator that sums over what was broadcast.");

static PyObject *serve_walk(PyObject *module, PyObject *arguments) {
    PyTypeObject *node, *leaf, *output, *several;
    PyObject *reader, *changed, *summing;
    if (!PyArg_ParseTuple(arguments, "O!O!O!O!OO!O", &PyType_Type, &node, &PyType_Type, &leaf, &PyType_Type, &output,
                          &PyType_Type, &several, &reader, &PyDict_Type, &changed, &summing))
        return NULL;
    Py_ssize_t places[3];
    const char *names[3] = {"node", "index", "position"};
    for (int n = 0; n < 3; n++)
        if ((places[n] = offset_of(output, names[n])) < 0) return NULL;
    Py_ssize_t edges = offset_of(node, "edges"), order = edges < 0 ? -1 : offset_of(node, "order");
    Py_ssize_t hooks = order < 0 ? -1 : offset_of(leaf, "hooks");
    Py_ssize_t observers = hooks < 0 ? -1 : offset_of(leaf, "observers");
    if (observers < 0) return NULL;
    of_base_node.edges = edges, of_base_node.order = order, of_leaf.hooks = hooks, of_leaf.observers = observers;
    Py_INCREF(arguments);
    leaf_type = leaf, output_type = output, read_arrays = reader, superseded = changed;
    of_output.node = places[0], of_output.index = places[1], of_output.position = places[2];
    several_type = several;
    sum_to = summing;
    base_node_type = node;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(serve_doc,
             "serve($module, classes, functions, numpy, flags, probes, /)\n--\n\n"
             "Takes the classes whose slots are read and filled, and what Python does. TypeError where they do not fit.");

static PyObject *serve(PyObject *module, PyObject *arguments) {
    PyTypeObject *value, *trace, *kernels, *choice, *node, *array;
    PyObject *asarray, *order, *explained, *dtypes, *namespace, *errors, *np, *flag_values, *first, *second;
    if (!PyArg_ParseTuple(arguments, "(O!O!O!O!O!O!)(OOOOOO)OO!(OO)", &PyType_Type, &value, &PyType_Type, &trace,
                          &PyType_Type, &kernels, &PyType_Type, &choice, &PyType_Type, &node, &PyType_Type, &array,
                          &asarray, &order, &explained, &dtypes, &namespace, &errors, &np, &PyDict_Type, &flag_values, &first,
                          &second))
        return NULL;
    struct { Py_ssize_t *place; PyTypeObject *type; const char *name; } slots[] = {
        {&of_value.array, value, "_array"}, {&of_value.edge, value, "_edge"},
        {&of_value.source, value, "_source"},
        {&of_kernels.arity, kernels, "arity"}, {&of_kernels.traits, kernels, "traits"},
        {&of_kernels.of_dtype, kernels, "of_dtype"}, {&of_kernels.registered, kernels, "registered"},
        {&of_choice.direct, choice, "direct"}, {&of_choice.with_number, choice, "with_number"},
        {&of_choice.engine, choice, "engine"},
        {&of_choice.small, choice, "small"}, {&of_choice.least, choice, "least"}, {&of_choice.large, choice, "large"},
        {&of_choice.kernel, choice, "kernel"},
        {&of_node.op, node, "op"}, {&of_node.attrs, node, "attrs"}, {&of_node.edges, node, "edges"},
        {&of_node.saved, node, "saved"}, {&of_node.order, node, "order"}, {&of_node.hooks, node, "hooks"}};
    enum { SLOTS = sizeof slots / sizeof *slots };
    Py_ssize_t offsets[SLOTS];
    for (size_t n = 0; n < SLOTS; n++)
        if ((offsets[n] = offset_of(slots[n].type, slots[n].name)) < 0) return NULL;
    int fits = looks_as_expected(array, first, 3, 5);
    if (fits > 0) fits = looks_as_expected(array, second, 2, 7);
    if (fits <= 0) {
        if (!fits) PyErr_SetString(PyExc_TypeError, "NumPy's arrays do not lie in memory as this was written for");
        return NULL;
    }
    Py_INCREF(arguments); /* keeps all of them for as long as the process lives */
    for (size_t n = 0; n < SLOTS; n++) *slots[n].place = offsets[n];
    if (array_type && array_type != array) {
        PyErr_SetString(PyExc_TypeError, "serve_arrays was given another class of arrays");
        return NULL;
    }
    array_type = array;
    value_type = value, kernels_type = kernels, choice_type = choice, node_type = node;
    as_array = asarray, next_order = order, failed = explained, dtype_of = dtypes, kernel_errors = errors;
    expected_namespace = namespace;
    numpy = np, flags = flag_values;
    trace_type = trace;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"apply", (PyCFunction)(void (*)(void))apply, METH_FASTCALL | METH_KEYWORDS, apply_doc},
    {"apply_under", (PyCFunction)(void (*)(void))apply_under, METH_FASTCALL, apply_under_doc},
    {"begin", begin, METH_O, begin_doc},
    {"bound_routine", bound_routine, METH_VARARGS, bound_routine_doc},
    {"line_of_routines", line_of_routines, METH_VARARGS, line_of_routines_doc},
    {"connected", (PyCFunction)(void (*)(void))connected, METH_FASTCALL, connected_doc},
    {"form", (PyCFunction)(void (*)(void))make_form, METH_FASTCALL, make_form_doc},
    {"reach", (PyCFunction)(void (*)(void))reach, METH_FASTCALL, reach_doc},
    {"serve", serve, METH_VARARGS, serve_doc},
    {"serve_arrays", serve_arrays, METH_VARARGS, serve_arrays_doc},
    {"serve_facts", serve_facts, METH_VARARGS, serve_facts_doc},
    {"serve_blas", serve_blas, METH_VARARGS, serve_blas_doc},
    {"serve_gemm", serve_gemm, METH_VARARGS, serve_gemm_doc},
    {"serve_products", serve_products, METH_VARARGS, serve_products_doc},
    {"serve_steps", serve_steps, METH_VARARGS, serve_steps_doc},
    {"serve_syntax", serve_syntax, METH_VARARGS, serve_syntax_doc},
    {"serve_walk", serve_walk, METH_VARARGS, serve_walk_doc},
    {"take_step", take_step, METH_VARARGS, take_step_doc},
    {"walk", (PyCFunction)(void (*)(void))walk, METH_FASTCALL, walk_doc},
    {NULL, NULL, 0, NULL}};

static int execute(PyObject *module) {
    if (interpreter && interpreter != PyInterpreterState_Get()) {
        PyErr_SetString(PyExc_ImportError, "is in use by another interpreter of this process");
        return -1;
    }
    interpreter = PyInterpreterState_Get();
    struct { PyObject **place; const char *text; } texts[] = {
        {&str_trace, "trace"}, {&str_apply, "apply"}, {&str_kernels, "kernels"}, {&str_gradient, "gradient"},
        {&str_recipe, "recipe"}, {&str_grad_enabled, "grad_enabled"}, {&str_value_class, "value_class"},
        {&str_single_node, "single_node"}, {&str_check, "FLAGS_check_nan_inf"}, {&str_retain, "retain"},
        {&str_pending, "pending"}, {&str_of_nodes, "of_nodes"}, {&str_visit, "_visit"}, {&str_read_saved, "read_saved"},
        {&str_node, "node"}, {&str_add, "_add"}, {&str_run, "run"}, {&str_count, "count"}, {&str_values, "values"}, {&str_observer, "observer"}, {&str_compiled, "compiled"},
        {&str_is_differentiable, "is_differentiable"},
        {&str_parameter_class, "parameter_class"}, {&str_save_arrays, "save_arrays"},
        {&str_several, "_several"}, {&str_scale, "scale"}, {&str_bias, "bias"}};
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        if (!*texts[n].place && !(*texts[n].place = PyUnicode_InternFromString(texts[n].text))) return -1;
    PyObject *type = PyType_FromSpec(&syntax);
    if (!type) return -1;
    int ended = PyModule_AddObjectRef(module, "Syntax", type);
    Py_DECREF(type);
    if (ended < 0 || add_forms(module) < 0) return -1;
    return PyModule_AddIntConstant(module, "INTERFACE", 14);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, execute},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_dispatch", "The common case of applying an operator, compiled; see native.py.", 0,
    functions, module_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__dispatch(void) { return PyModuleDef_Init(&definition); }
