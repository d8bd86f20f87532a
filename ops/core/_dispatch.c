/* The compiled form of the common case, as a module: what Python gives it, and what it gives to Python.

It has no types of its own but `Syntax`, `Attributes` and `Form`: it reads and fills the slots of the classes that `serve` is given.
What is done lies beside it: _apply.c applies operators, _recording.c makes values and nodes of results,
_number_protocol.c is Python's own operators of values, _attributes.c finds what layers hold, _walk.c is the backward walk; forms of kernels, programs of rules and
steps of optimizers are in the files that _native.h names.
*/
#include "_dispatch.h"
#include "_team.h"

PyObject *state, *flags, *numpy, *as_array, *next_order, *failed, *dtype_of, *kernel_errors, *expected_namespace;
PyTypeObject *value_type, *trace_type, *kernels_type, *choice_type, *node_type;
struct ValueSlots of_value;
struct KernelsSlots of_kernels;
struct ChoiceSlots of_choice;
struct NodeSlots of_node;
static PyInterpreterState *interpreter;

#define DEFINE(name, text) PyObject *str_##name;
TEXTS(DEFINE)
#undef DEFINE

/* What this thread has of the state. Its dict is asked for when another thread computed before. */
static uint64_t thread;
static PyObject *of_thread;

PyObject *of_state(PyObject *name) {
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

PyObject *own_attribute(PyObject *object, PyObject *name) {
    PyObject *own = PyObject_GenericGetDict(object, NULL), *found = NULL;
    if (!own) PyErr_Clear(); /* it has slots alone */
    else found = Py_XNewRef(PyDict_GetItemWithError(own, name));
    Py_XDECREF(own);
    return found || PyErr_Occurred() ? found : PyObject_GetAttr(object, name);
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
        {&of_value.source, value, "_source"}, {&of_value.views, value, "_views"},
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
    {"attend", attend_by_panels, METH_VARARGS, attend_doc},
    {"attend_gradient", attend_gradient, METH_VARARGS, attend_gradient_doc},
    {"begin", begin, METH_O, begin_doc},
    {"bound_routine", bound_routine, METH_VARARGS, bound_routine_doc},
    {"turn_into", (PyCFunction)(void (*)(void))turn_into, METH_FASTCALL, turn_into_doc},
    {"copied_as", (PyCFunction)(void (*)(void))copied_as, METH_FASTCALL, copied_as_doc},
    {"copied_in_order", copied_in_order, METH_O, copied_in_order_doc},
    {"line_of_loops", line_of_loops, METH_VARARGS, line_of_loops_doc},
    {"line_of_routines", line_of_routines, METH_VARARGS, line_of_routines_doc},
    {"connected", (PyCFunction)(void (*)(void))connected, METH_FASTCALL, connected_doc},
    {"turned_product", (PyCFunction)(void (*)(void))turned_product, METH_FASTCALL, turned_product_doc},
    {"row_products", (PyCFunction)(void (*)(void))row_products, METH_FASTCALL, row_products_doc},
    {"code_of_steps", code_of_steps, METH_VARARGS, code_of_steps_doc},
    {"filter_gradient", filter_gradient, METH_VARARGS, filter_gradient_doc},
    {"filter_gradient_tiles", filter_gradient_tiles, METH_VARARGS, filter_gradient_tiles_doc},
    {"suit_tiles", suit_tiles, METH_VARARGS, suit_tiles_doc},
    {"convolve_tiles", convolve_tiles, METH_VARARGS, convolve_tiles_doc},
    {"form", (PyCFunction)(void (*)(void))make_form, METH_FASTCALL, make_form_doc},
    {"gate_channels", gate_channels, METH_VARARGS, gate_channels_doc},
    {"has_fast_panels", has_fast_panels, METH_NOARGS,
     "has_fast_panels($module, /)\n--\n\nWhether what pack_weight gives is faster than a library's code, here."},
    {"multiply_weight", multiply_weight, METH_VARARGS, multiply_weight_doc},
    {"pack_weight", pack_weight, METH_VARARGS, pack_weight_doc},
    {"plain_ranges", (PyCFunction)(void (*)(void))plain_ranges, METH_FASTCALL, plain_ranges_doc},
    {"pool_gradient", pool_gradient, METH_VARARGS, pool_gradient_doc},
    {"pool_windows", pool_windows, METH_VARARGS, pool_windows_doc},
    {"reach", (PyCFunction)(void (*)(void))reach, METH_FASTCALL, reach_doc},
    {"read_message", read_message, METH_VARARGS, read_message_doc},
    {"run_passes", (PyCFunction)(void (*)(void))run_passes, METH_FASTCALL, run_passes_doc},
    {"serve", serve, METH_VARARGS, serve_doc},
    {"serve_arrays", serve_arrays, METH_VARARGS, serve_arrays_doc},
    {"serve_facts", serve_facts, METH_VARARGS, serve_facts_doc},
    {"serve_attributes", serve_attributes, METH_VARARGS, serve_attributes_doc},
    {"serve_blas", serve_blas, METH_VARARGS, serve_blas_doc},
    {"serve_gemm", serve_gemm, METH_VARARGS, serve_gemm_doc},
    {"serve_panels", serve_panels, METH_VARARGS, serve_panels_doc},
    {"serve_quiet", serve_quiet, METH_VARARGS, serve_quiet_doc},
    {"serve_products", serve_products, METH_VARARGS, serve_products_doc},
    {"serve_steps", serve_steps, METH_VARARGS, serve_steps_doc},
    {"serve_team", serve_team, METH_O, serve_team_doc},
    {"serve_syntax", serve_syntax, METH_VARARGS, serve_syntax_doc},
    {"serve_walk", serve_walk, METH_VARARGS, serve_walk_doc},
    {"shared_product", shared_product, METH_VARARGS, shared_product_doc},
    {"take_step", take_step, METH_VARARGS, take_step_doc},
    {"turned_matrices", turned_matrices, METH_O, turned_matrices_doc},
    {"walk", (PyCFunction)(void (*)(void))walk, METH_FASTCALL, walk_doc},
    {NULL, NULL, 0, NULL}};

/* A class that Python's own are derived from; -1 with an error. */
static int add_base(PyObject *module, const char *name, PyType_Spec *specification) {
    PyObject *type = PyType_FromSpec(specification);
    int ended = type ? PyModule_AddObjectRef(module, name, type) : -1;
    Py_XDECREF(type);
    return ended;
}

static int execute(PyObject *module) {
    if (interpreter && interpreter != PyInterpreterState_Get()) {
        PyErr_SetString(PyExc_ImportError, "is in use by another interpreter of this process");
        return -1;
    }
    interpreter = PyInterpreterState_Get();
#define TEXT(name, text) {&str_##name, text},
    struct { PyObject **place; const char *text; } texts[] = {TEXTS(TEXT)};
#undef TEXT
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        if (!*texts[n].place && !(*texts[n].place = PyUnicode_InternFromString(texts[n].text))) return -1;
    if (add_base(module, "Syntax", &syntax) < 0 || add_base(module, "Attributes", &attributes) < 0) return -1;
    if (add_forms(module) < 0) return -1;
    return PyModule_AddIntConstant(module, "INTERFACE", 46);
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
