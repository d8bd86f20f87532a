/* The common case of applying an operator to values of eager code, compiled.

What it means stands in Python: `apply` in trace.py, `EagerTrace.apply` in dygraph/eager.py and `OperatorNode` in
operator_node.py. This does the same for an operator with one result, of one or two values whose arrays are NumPy's own,
under a trace that is exactly an EagerTrace; with anything else it calls the trace's `apply`, before any kernel has run.
It has no types of its own: it reads and fills the slots of the classes that `serve` is given.
*/
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#ifdef Py_GIL_DISABLED
#error "Reads and fills slots without locks: only for interpreters with a global lock."
#endif

/* The head of an array as NumPy's ABI has it since 1.7; `looks_as_expected` checks it before anything relies on it. */
typedef struct {
    PyObject_HEAD
    char *data;
    int dimensions_count;
    Py_ssize_t *dimensions;
    Py_ssize_t *strides;
    PyObject *base;
    PyObject *dtype;
} Array;

enum { ANY, ONE, TWO, ONE_AND_OPTIONAL };
enum { MOST_INPUTS = 8 };

static PyObject *state, *flags, *numpy, *as_array, *next_order, *failed, *dtype_of, *kernel_errors;
static PyTypeObject *array_type, *value_type, *trace_type, *kernels_type, *choice_type, *node_type;
static PyInterpreterState *interpreter;
static struct { Py_ssize_t array, edge; } of_value;
static struct { Py_ssize_t arity, of_dtype; } of_kernels;
static struct { Py_ssize_t direct, small, least, large; } of_choice;
static struct { Py_ssize_t op, attrs, edges, saved, order, hooks; } of_node;
static PyObject *str_trace, *str_apply, *str_kernels, *str_gradient, *str_recipe, *str_grad_enabled, *str_value_class,
    *str_single_node, *str_check;

static inline PyObject *slot(PyObject *object, Py_ssize_t offset) { return *(PyObject **)((char *)object + offset); }

/* Fills an empty slot of a new object; takes the reference. */
static inline void fill(PyObject *object, Py_ssize_t offset, PyObject *value) {
    *(PyObject **)((char *)object + offset) = value;
}

static Py_ssize_t size_of(PyObject *array) {
    Py_ssize_t size = 1;
    for (int n = 0; n < ((Array *)array)->dimensions_count; n++) size *= ((Array *)array)->dimensions[n];
    return size;
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

/* One thing that a node keeps, as a byte of `Gradient.recipe` says: kind, of a result or not, position. */
static PyObject *kept(unsigned char byte, PyObject **arrays, PyObject *result) {
    PyObject *array = byte & 8 ? result : arrays[byte & 7];
    if (!array) return Py_NewRef(Py_None);
    switch (byte >> 4) {
    case 0: return Py_NewRef(array);
    case 1: return shape_of(array);
    default: return PyObject_CallOneArg(dtype_of, ((Array *)array)->dtype);
    }
}

/* The node of an application: a SingleResultNode, as its class makes it. NULL with an error. */
static PyObject *node_of(PyObject *op, PyObject *attrs, PyObject *recipe, PyObject **edges, PyObject **arrays,
                         Py_ssize_t count, PyObject *result) {
    PyObject *saved = NULL, *all_edges = NULL, *order = NULL, *node = NULL;
    Py_ssize_t length = PyBytes_GET_SIZE(recipe);
    if (!(saved = PyTuple_New(length))) goto done;
    for (Py_ssize_t n = 0; n < length; n++) {
        PyObject *one = kept((unsigned char)PyBytes_AS_STRING(recipe)[n], arrays, result);
        if (!one) goto done;
        PyTuple_SET_ITEM(saved, n, one);
    }
    if (!(all_edges = PyTuple_New(count))) goto done;
    for (Py_ssize_t n = 0; n < count; n++) PyTuple_SET_ITEM(all_edges, n, Py_NewRef(edges[n] ? edges[n] : Py_None));
    if (!(order = PyObject_CallNoArgs(next_order))) goto done;
    if (!(node = node_type->tp_alloc(node_type, 0))) goto done;
    fill(node, of_node.op, Py_NewRef(op));
    fill(node, of_node.attrs, Py_NewRef(attrs));
    fill(node, of_node.edges, Py_NewRef(all_edges));
    fill(node, of_node.saved, Py_NewRef(saved));
    fill(node, of_node.order, Py_NewRef(order));
    fill(node, of_node.hooks, Py_NewRef(Py_None));
done:
    Py_XDECREF(saved);
    Py_XDECREF(all_edges);
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
    PyObject *all = PyTuple_New(count);
    if (all) {
        for (Py_ssize_t n = 0; n < count; n++) PyTuple_SET_ITEM(all, n, Py_NewRef(inputs[n]));
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
static PyObject *applied(PyObject *trace, PyObject *op, PyObject *const *inputs, Py_ssize_t count, PyObject *attrs,
                         int *declined) {
    *declined = 1;
    if (count < 1 || count > MOST_INPUTS) return NULL;
    PyObject *checks = PyDict_GetItemWithError(flags, str_check);
    if (checks != Py_False) {
        if (!checks && PyErr_Occurred()) *declined = 0;
        return NULL;
    }
    PyObject *arrays[MOST_INPUTS] = {NULL}, *edges[MOST_INPUTS] = {NULL};
    PyObject *kernels = NULL, *choice = NULL, *direct = NULL, *kernel = NULL, *gradient = NULL, *recipe = NULL, *value_class = NULL;
    PyObject *array = NULL, *result = NULL;
    Py_ssize_t given = 1;
    if (!(kernels = PyObject_GetAttr(op, str_kernels))) goto failed_early;
    if (Py_TYPE(kernels) != kernels_type) goto done;
    PyObject *arity_number = slot(kernels, of_kernels.arity), *of_dtype = slot(kernels, of_kernels.of_dtype);
    if (!arity_number || !of_dtype || !PyDict_Check(of_dtype)) goto done;
    long arity = PyLong_AsLong(arity_number);
    if (arity == -1 && PyErr_Occurred()) goto failed_early;
    if (arity == TWO) given = 2;
    if (arity == ANY || (arity != ONE_AND_OPTIONAL && count != given)) goto done;
    for (Py_ssize_t n = 0; n < count; n++) {
        if (n >= given) {
            if (inputs[n] != Py_None) goto done;
            continue;
        }
        if (!PyObject_TypeCheck(inputs[n], value_type)) goto done;
        arrays[n] = Py_XNewRef(slot(inputs[n], of_value.array)); /* another thread may put others into the slots */
        edges[n] = Py_XNewRef(slot(inputs[n], of_value.edge));
        if (!arrays[n] || !edges[n] || Py_TYPE(arrays[n]) != array_type) goto done;
        if (n && ((Array *)arrays[n])->dtype != ((Array *)arrays[0])->dtype) goto done;
    }
    choice = PyDict_GetItemWithError(of_dtype, ((Array *)arrays[0])->dtype); /* where there is none, Python makes it */
    if (!choice) {
        if (PyErr_Occurred()) goto failed_early;
        goto done;
    }
    Py_INCREF(choice);
    if (Py_TYPE(choice) != choice_type) goto done;
    PyObject *least_number = slot(choice, of_choice.least);
    if (!least_number) goto done;
    Py_ssize_t least = PyLong_AsSsize_t(least_number);
    if (least == -1 && PyErr_Occurred()) goto failed_early;
    int small = size_of(arrays[0]) < least && (given == 1 || size_of(arrays[1]) < least);
    direct = small && PyDict_GET_SIZE(attrs) == 0 ? slot(choice, of_choice.direct) : NULL;
    kernel = direct && direct != Py_None ? direct : slot(choice, small ? of_choice.small : of_choice.large);
    if (!kernel) goto done;
    int is_direct = kernel == direct;
    Py_INCREF(kernel);

    int wanted = edges[0] != Py_None || (given == 2 && edges[1] != Py_None);
    if (wanted) {
        if (!(gradient = PyObject_GetAttr(op, str_gradient))) goto failed_early;
        PyObject *enabled = gradient == Py_None ? Py_NewRef(Py_False) : PyObject_GetAttr(state, str_grad_enabled);
        wanted = enabled ? PyObject_IsTrue(enabled) : -1;
        Py_XDECREF(enabled);
        if (wanted < 0) goto failed_early;
    }
    if (wanted) {
        PyObject *made = PyObject_GetAttr(trace, str_single_node);
        if (!made) goto failed_early;
        Py_DECREF(made);
        if (made != (PyObject *)node_type) goto done;
        if (!(recipe = PyObject_GetAttr(gradient, str_recipe))) goto failed_early;
        if (!PyBytes_CheckExact(recipe)) goto done;
    }
    if (!(value_class = PyObject_GetAttr(trace, str_value_class))) goto failed_early;
    if (!PyType_Check(value_class) || !PyType_IsSubtype((PyTypeObject *)value_class, value_type)) goto done;

    /* From here on it is done here, whatever comes. */
    *declined = 0;
    PyObject *arguments[MOST_INPUTS + 1] = {numpy, arrays[0], arrays[1]};
    if (is_direct) array = PyObject_Vectorcall(kernel, arguments + 1, given, NULL);
    else {
        Py_ssize_t positional = given;
        if (!small && arity == ONE_AND_OPTIONAL)
            for (; positional < count; positional++) arguments[positional + 1] = Py_None;
        array = PyObject_VectorcallDict(kernel, arguments, positional + 1, attrs);
    }
    if (!array) explain(op, inputs, count, attrs);
    else if (Py_TYPE(array) != array_type) Py_SETREF(array, PyObject_CallOneArg(as_array, array));
    if (array) {
        PyObject *edge = wanted ? node_of(op, attrs, recipe, edges, arrays, count, array) : Py_NewRef(Py_None);
        if (edge && (result = ((PyTypeObject *)value_class)->tp_alloc((PyTypeObject *)value_class, 0))) {
            fill(result, of_value.array, Py_NewRef(array));
            fill(result, of_value.edge, edge);
        } else Py_XDECREF(edge);
    }
    goto done;
failed_early:
    *declined = 0;
done:
    for (Py_ssize_t n = 0; n < given; n++) {
        Py_XDECREF(arrays[n]);
        Py_XDECREF(edges[n]);
    }
    Py_XDECREF(kernels);
    Py_XDECREF(choice);
    Py_XDECREF(kernel);
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
    PyObject *trace = PyObject_GetAttr(state, str_trace), *result = NULL;
    int declined = 1;
    if (!trace) return NULL;
    if (Py_TYPE(trace) == trace_type) result = applied(trace, op, inputs, count, attrs, &declined);
    if (declined) result = handed_on(trace, op, inputs, count, attrs);
    Py_DECREF(trace);
    return result;
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

/* Python's operators of values: `x + y`, `x - y`, `x * y`, and what Python does where one of both is something else. */

enum { ADD, SUBTRACT, MULTIPLY, OPERATORS };
static PyObject *operators[OPERATORS], *forward[OPERATORS], *reverse[OPERATORS];

static PyObject *binary(PyObject *x, PyObject *y, int which) {
    int is_value = value_type && PyObject_TypeCheck(x, value_type);
    if (is_value && PyObject_TypeCheck(y, value_type) && operators[which]) {
        PyObject *trace = PyObject_GetAttr(state, str_trace), *result = NULL, *inputs[2] = {x, y};
        if (!trace) return NULL;
        int declined = 1;
        if (Py_TYPE(trace) == trace_type) {
            PyObject *attrs = PyDict_New();
            if (!attrs) declined = 0;
            else result = applied(trace, operators[which], inputs, 2, attrs, &declined);
            Py_XDECREF(attrs);
        }
        Py_DECREF(trace);
        if (!declined) return result;
    }
    if (!forward[which]) Py_RETURN_NOTIMPLEMENTED;
    PyObject *straight[2] = {x, y}, *turned[2] = {y, x};
    return is_value ? PyObject_Vectorcall(forward[which], straight, 2, NULL)
                    : PyObject_Vectorcall(reverse[which], turned, 2, NULL);
}

static PyObject *add(PyObject *x, PyObject *y) { return binary(x, y, ADD); }
static PyObject *subtract(PyObject *x, PyObject *y) { return binary(x, y, SUBTRACT); }
static PyObject *multiply(PyObject *x, PyObject *y) { return binary(x, y, MULTIPLY); }

static PyType_Slot syntax_slots[] = {
    {Py_nb_add, add}, {Py_nb_subtract, subtract}, {Py_nb_multiply, multiply},
    {Py_tp_doc, "The operators of values: +, - and *. It holds nothing."}, {0, NULL}};
static PyType_Spec syntax = {"proa.ops.core._dispatch.Syntax", sizeof(PyObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, syntax_slots};

PyDoc_STRVAR(serve_syntax_doc,
             "serve_syntax($module, operators, forward, reverse, /)\n--\n\n"
             "Takes the operators of +, - and *, and the functions that stand for them with anything else.");

static PyObject *serve_syntax(PyObject *module, PyObject *arguments) {
    PyObject *o[OPERATORS], *f[OPERATORS], *r[OPERATORS];
    if (!PyArg_ParseTuple(arguments, "(OOO)(OOO)(OOO)", o, o + 1, o + 2, f, f + 1, f + 2, r, r + 1, r + 2)) return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    for (int n = 0; n < OPERATORS; n++) operators[n] = o[n], forward[n] = f[n], reverse[n] = r[n];
    Py_RETURN_NONE;
}

/* The backward walk: `Walk.run` and `_reach` in backward.py say what these do. */

static PyObject *read_arrays, *superseded, *str_retain, *str_pending, *str_of_nodes, *str_visit, *str_read_saved,
    *str_node, *str_add, *str_run;
static PyTypeObject *leaf_type, *output_type, *base_node_type;
static struct { Py_ssize_t edges, order; } of_base_node;
static struct { Py_ssize_t hooks, observers; } of_leaf;

/* Adds a gradient to what is there for an edge. */
static int accumulate(PyObject *walk, PyObject *pending, PyObject *edge, PyObject *gradient) {
    if (Py_TYPE(edge) == output_type || Py_TYPE(edge) == &PyList_Type) { /* of several results, or of a repeated slot */
        PyObject *arguments[3] = {walk, edge, gradient};
        PyObject *nothing = PyObject_VectorcallMethod(str_add, arguments, 3, NULL);
        Py_XDECREF(nothing);
        return nothing ? 0 : -1;
    }
    PyObject *old = PyDict_GetItemWithError(pending, edge);
    if (!old) return PyErr_Occurred() ? -1 : PyDict_SetItem(pending, edge, gradient);
    Py_INCREF(old);
    PyObject *sum = PyNumber_Add(old, gradient);
    Py_DECREF(old);
    int failed_to = sum ? PyDict_SetItem(pending, edge, sum) : -1;
    Py_XDECREF(sum);
    return failed_to;
}

/* One node with a single result, its gradient taken from `pending`. */
static int step(PyObject *walk, PyObject *pending, PyObject *node, PyObject *gradient, int retain) {
    PyObject *saved = NULL, *rules = NULL, *gs = NULL, *found = NULL, *edges = Py_NewRef(slot(node, of_node.edges));
    PyObject *op = Py_NewRef(slot(node, of_node.op)), *attrs = Py_NewRef(slot(node, of_node.attrs));
    int ended = -1;
    PyObject *reader = PyObject_GetAttr(walk, str_read_saved);
    if (!reader) goto done;
    if (reader == read_arrays && PyDict_GET_SIZE(superseded) == 0) saved = Py_NewRef(slot(node, of_node.saved));
    else saved = PyObject_CallOneArg(reader, node);
    Py_DECREF(reader);
    if (!saved || !(rules = PyObject_GetAttr(op, str_gradient))) goto done;
    if (!(gs = PyList_New(1))) goto done;
    PyList_SET_ITEM(gs, 0, Py_NewRef(gradient));
    PyObject *arguments[5] = {rules, gs, saved, attrs, edges};
    PyObject *run = PyObject_GetAttr(rules, str_run);
    if (!run) goto done;
    found = PyObject_Vectorcall(run, arguments + 1, 4, NULL);
    Py_DECREF(run);
    if (!found) goto done;
    if (!retain) {
        PyObject *old = slot(node, of_node.saved);
        fill(node, of_node.saved, Py_NewRef(Py_None));
        Py_XDECREF(old);
    }
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
    if (Py_TYPE(node) != node_type) return 0;
    Py_ssize_t offsets[] = {of_node.op, of_node.attrs, of_node.edges, of_node.saved, of_node.hooks};
    for (size_t n = 0; n < sizeof offsets / sizeof *offsets; n++)
        if (!slot(node, offsets[n])) return 0;
    if (slot(node, of_node.hooks) != Py_None || !PyTuple_CheckExact(slot(node, of_node.saved))) return 0;
    PyObject *edges = slot(node, of_node.edges);
    if (!PyTuple_CheckExact(edges) && !PyList_CheckExact(edges)) return 0;
    for (Py_ssize_t n = 0; n < PySequence_Fast_GET_SIZE(edges); n++)
        if (PyList_CheckExact(PySequence_Fast_GET_ITEM(edges, n))) return 0;
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
    if (!pending || !of_nodes || retain < 0) goto done;
    if (!PyDict_CheckExact(pending) || !PyDict_CheckExact(of_nodes)) {
        PyErr_SetString(PyExc_TypeError, "walk(walk, nodes, useful): pending and of_nodes must be dicts.");
        goto done;
    }
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
            else if (wanted) ended = step(self, pending, node, gradient, retain);
            Py_DECREF(gradient);
        } else if (PyErr_Occurred()) ended = -1;
        Py_DECREF(node);
        if (ended) goto done;
        if (PyErr_CheckSignals() < 0) goto done;
    }
    result = Py_NewRef(Py_None);
done:
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

PyDoc_STRVAR(begin_doc, "begin($module, state, /)\n--\n\nTakes what knows each thread's trace.");

static PyObject *begin(PyObject *module, PyObject *given) {
    Py_XSETREF(state, Py_NewRef(given));
    Py_RETURN_NONE;
}

/* The offset of a slot of a class; -1 with an error where it is none. */
static Py_ssize_t offset_of(PyTypeObject *type, const char *name) {
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
             "serve_walk($module, node, leaf, output, read_arrays, superseded, /)\n--\n\n"
             "Takes the classes of the backward walk, what reads saved arrays, and what has entries when some changed.");

static PyObject *serve_walk(PyObject *module, PyObject *arguments) {
    PyTypeObject *node, *leaf, *output;
    PyObject *reader, *changed;
    if (!PyArg_ParseTuple(arguments, "O!O!O!OO!", &PyType_Type, &node, &PyType_Type, &leaf, &PyType_Type, &output,
                          &reader, &PyDict_Type, &changed))
        return NULL;
    Py_ssize_t edges = offset_of(node, "edges"), order = edges < 0 ? -1 : offset_of(node, "order");
    Py_ssize_t hooks = order < 0 ? -1 : offset_of(leaf, "hooks");
    Py_ssize_t observers = hooks < 0 ? -1 : offset_of(leaf, "observers");
    if (observers < 0) return NULL;
    of_base_node.edges = edges, of_base_node.order = order, of_leaf.hooks = hooks, of_leaf.observers = observers;
    Py_INCREF(arguments);
    leaf_type = leaf, output_type = output, read_arrays = reader, superseded = changed;
    base_node_type = node;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(serve_doc,
             "serve($module, classes, functions, numpy, flags, probes, /)\n--\n\n"
             "Takes the classes whose slots are read and filled, and what Python does. TypeError where they do not fit.");

static PyObject *serve(PyObject *module, PyObject *arguments) {
    PyTypeObject *value, *trace, *kernels, *choice, *node, *array;
    PyObject *asarray, *order, *explained, *dtypes, *errors, *np, *flag_values, *first, *second;
    if (!PyArg_ParseTuple(arguments, "(O!O!O!O!O!O!)(OOOOO)OO!(OO)", &PyType_Type, &value, &PyType_Type, &trace,
                          &PyType_Type, &kernels, &PyType_Type, &choice, &PyType_Type, &node, &PyType_Type, &array,
                          &asarray, &order, &explained, &dtypes, &errors, &np, &PyDict_Type, &flag_values, &first,
                          &second))
        return NULL;
    struct { Py_ssize_t *place; PyTypeObject *type; const char *name; } slots[] = {
        {&of_value.array, value, "_array"}, {&of_value.edge, value, "_edge"},
        {&of_kernels.arity, kernels, "arity"}, {&of_kernels.of_dtype, kernels, "of_dtype"},
        {&of_choice.direct, choice, "direct"}, {&of_choice.small, choice, "small"},
        {&of_choice.least, choice, "least"}, {&of_choice.large, choice, "large"},
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
    array_type = array;
    value_type = value, kernels_type = kernels, choice_type = choice, node_type = node;
    as_array = asarray, next_order = order, failed = explained, dtype_of = dtypes, kernel_errors = errors;
    numpy = np, flags = flag_values;
    trace_type = trace;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"apply", (PyCFunction)(void (*)(void))apply, METH_FASTCALL | METH_KEYWORDS, apply_doc},
    {"begin", begin, METH_O, begin_doc},
    {"reach", (PyCFunction)(void (*)(void))reach, METH_FASTCALL, reach_doc},
    {"serve", serve, METH_VARARGS, serve_doc},
    {"serve_syntax", serve_syntax, METH_VARARGS, serve_syntax_doc},
    {"serve_walk", serve_walk, METH_VARARGS, serve_walk_doc},
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
        {&str_node, "node"}, {&str_add, "_add"}, {&str_run, "run"}};
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        if (!*texts[n].place && !(*texts[n].place = PyUnicode_InternFromString(texts[n].text))) return -1;
    PyObject *type = PyType_FromSpec(&syntax);
    if (!type) return -1;
    int ended = PyModule_AddObjectRef(module, "Syntax", type);
    Py_DECREF(type);
    return ended < 0 ? -1 : PyModule_AddIntConstant(module, "INTERFACE", 1);
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
