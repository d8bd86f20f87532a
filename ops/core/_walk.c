/* The backward walk: `Walk.run` and `_reach` in backward.py, and `OperatorNode.connected`, say what these do. */
#include "_dispatch.h"

static PyObject *read_arrays, *superseded, *sum_to;
static PyTypeObject *leaf_type, *base_node_type;
PyTypeObject *output_type, *several_type;
struct OutputSlots of_output;
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
    found = quiet_call(run, arguments + 1, 4, NULL);
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

const char walk_doc[] = PyDoc_STR("walk($module, walk, nodes, useful, /)\n--\n\n"
                       "Visits the nodes in turn as `walk._visit(node, useful)` does.");

PyObject *walk(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
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

const char reach_doc[] = PyDoc_STR("reach($module, roots, since, watched, /)\n--\n\n"
                        "The set of nodes that `_reach` sorts. Leaves with hooks or observers come to `watched`.");

PyObject *reach(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
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

const char connected_doc[] = PyDoc_STR("connected($module, node, value_class, /)\n--\n\n"
                            "What a node saved, its values as Tensors of a class that lead to where they came from.");

PyObject *connected(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
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

const char serve_walk_doc[] = PyDoc_STR("serve_walk($module, node, leaf, output, several, read_arrays, superseded, sum_to, /)\n--\n\n"
             "Takes the classes of the backward walk, what reads saved arrays, what has entries when some changed, and the\n"
             "operator that sums over what was broadcast.");

PyObject *serve_walk(PyObject *module, PyObject *arguments) {
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
