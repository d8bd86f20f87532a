/* What is made of an operator's results: values, the node that they lead to, and what it keeps for the gradients.

As `OperatorNode` in operator_node.py, `_several` in dygraph/eager.py and `show` in dygraph/views.py say it.
*/
#include "_dispatch.h"

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
static PyObject *kept(unsigned char byte, PyObject *const *arrays, PyObject *result) {
    PyObject *array = byte & 8 ? result : arrays[byte & 7];
    if (!array || array == Py_None) return Py_NewRef(Py_None);
    switch (byte >> 4) {
    case 0: return Py_NewRef(array);
    case 1: return shape_of(array);
    default: return PyObject_CallOneArg(dtype_of, ((Array *)array)->dtype);
    }
}

PyObject *tuple_of(PyObject *const *items, Py_ssize_t count) {
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
PyObject *node_of(PyObject *op, PyObject *attrs, PyObject *gradient, PyObject *recipe, const Inputs *given,
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

/* A value of an array, or of what NumPy makes one of, with an edge; takes the reference to the edge, or NULL. */
PyObject *value_of(PyTypeObject *value_class, PyObject *given, PyObject *edge) {
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
PyObject *values_of(PyTypeObject *value_class, PyObject *results, int in_list) {
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
PyObject *several(PyObject *trace, PyObject *op, PyObject *const *inputs, PyObject *attrs, const Inputs *given,
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
PyObject *output_of(PyObject *node, Py_ssize_t index, PyObject *position) {
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
PyObject *recorded(PyTypeObject *value_class, PyObject *op, PyObject *attrs, PyObject *gradient,
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
int records_several(PyObject *trace) {
    if (!several_type) return 0;
    PyObject *made = PyObject_GetAttr(trace, str_node);
    Py_XDECREF(made);
    return made ? made == (PyObject *)several_type : -1;
}

/* Lets a value know of a view of it: as `note` in dygraph/views.py. -1 with an error. */
static int note_view(PyObject *view, PyObject *base) {
    enum { FEW = 8 };
    PyObject **place = (PyObject **)((char *)base + of_value.views), *known = *place;
    PyObject *reference = PyWeakref_NewRef(view, NULL);
    if (!reference) return -1;
    if (known && PyWeakref_CheckRef(known) && referent_of(known)) {
        PyObject *both = PyList_New(2);
        if (!both) {
            Py_DECREF(reference);
            return -1;
        }
        PyList_SET_ITEM(both, 0, Py_NewRef(known));
        PyList_SET_ITEM(both, 1, reference);
        Py_XSETREF(*place, both);
        return 0;
    }
    if (!known || !PyList_CheckExact(known)) {
        Py_XSETREF(*place, reference);
        return 0;
    }
    Py_ssize_t count = PyList_GET_SIZE(known), kept = 0;
    if (count >= FEW && !(count & (count - 1))) { /* at each power of two those that lead nowhere are let go */
        for (Py_ssize_t n = 0; n < count; n++) {
            PyObject *one = PyList_GET_ITEM(known, n);
            if (!referent_of(one)) continue;
            PyList_SET_ITEM(known, n, PyList_GET_ITEM(known, kept));
            PyList_SET_ITEM(known, kept++, one);
        }
        if (PyList_SetSlice(known, kept, count, NULL) < 0) {
            Py_DECREF(reference);
            return -1;
        }
    }
    int added = PyList_Append(known, reference);
    Py_DECREF(reference);
    return added;
}

/* Lets a result know that it is a view of the first input: as `show` in dygraph/views.py. -1 with an error. */
int show_source(PyObject *view, PyObject *op, PyObject *const *inputs, PyObject *const *arrays, Py_ssize_t count,
                       PyObject *attrs) {
    PyObject *base = inputs[0], *value = base, *of_base = slot(base, of_value.source), *others = NULL;
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
    return source ? note_view(view, value) : -1;
}
