/* Forms: what computes small arrays in the place of a kernel, and how arrays are made, by NumPy's own functions.

No headers of NumPy are needed: its functions are found in the table that it gives to extensions, at the places that
its ABI has had since 1.7.
*/
#include "_vectors.h"

PyObject *dtypes_by_kind[KINDS];
const Py_ssize_t sizes_by_kind[KINDS] = {4, 8, 8, 4, 1, 1, 1, 2, 2, 8, 16};
PyTypeObject *array_type, *form_type;
int has_wide_vectors, has_widest_vectors;
#define DEFINE(name) PyObject *name_##name;
NAMES(DEFINE)
#undef DEFINE

/* NumPy's table */

enum { VERSION_OF_ABI = 0, NEW_FROM_DESCR = 94, SET_BASE_OBJECT = 282 };
static PyObject *(*new_from_descr)(PyTypeObject *, PyObject *, int, const Py_ssize_t *, const Py_ssize_t *, void *, int,
                                   PyObject *);
static int (*set_base_object)(PyObject *, PyObject *);

int arrays_can_be_made(void) { return new_from_descr != NULL; }

PyObject *new_array(int kind, int count, const Py_ssize_t *dimensions) {
    PyObject *dtype = Py_NewRef(dtypes_by_kind[kind]); /* taken over */
    return new_from_descr(array_type, dtype, count, dimensions, NULL, NULL, 0, NULL);
}

PyObject *new_array_lying(int kind, int count, const Py_ssize_t *dimensions, const Py_ssize_t *strides) {
    PyObject *dtype = Py_NewRef(dtypes_by_kind[kind]);
    return new_from_descr(array_type, dtype, count, dimensions, strides, NULL, 0, NULL);
}

PyObject *new_array_like(int kind, PyObject *dense) {
    Array *array = (Array *)dense;
    if (array->flags & C_CONTIGUOUS) return new_array(kind, array->dimensions_count, array->dimensions);
    Py_ssize_t strides[MOST_DIMENSIONS], item = sizes_by_kind[kind_of(array->dtype)];
    for (int n = 0; n < array->dimensions_count; n++) strides[n] = array->strides[n] / item * sizes_by_kind[kind];
    return new_array_lying(kind, array->dimensions_count, array->dimensions, strides);
}

PyObject *new_view(PyObject *of, int count, const Py_ssize_t *dimensions, const Py_ssize_t *strides, char *data) {
    Array *array = (Array *)of;
    int flags = array->flags & WRITEABLE;
    if (!strides) flags |= array->flags & ALIGNED;
    PyObject *dtype = Py_NewRef(array->dtype);
    PyObject *view = new_from_descr(array_type, dtype, count, dimensions, strides, data, flags, NULL);
    if (view && set_base_object(view, Py_NewRef(of)) < 0) Py_CLEAR(view);
    return view;
}

const char serve_arrays_doc[] =
    "serve_arrays($module, table, array, dtypes, probe, flags, /)\n--\n\n"
    "Takes NumPy's table of functions, its class of arrays, and its dtypes in the order of the kinds. `probe` is an\n"
    "array that has the flags. TypeError where they are not what this was written for.";

PyObject *serve_arrays(PyObject *module, PyObject *arguments) {
    PyObject *capsule, *dtypes, *probe;
    PyTypeObject *array;
    int flags;
    if (!PyArg_ParseTuple(arguments, "OO!O!Oi", &capsule, &PyType_Type, &array, &PyTuple_Type, &dtypes, &probe, &flags))
        return NULL;
    void **table = PyCapsule_GetPointer(capsule, NULL);
    if (!table) return NULL;
    unsigned version = ((unsigned (*)(void))table[VERSION_OF_ABI])();
    int fits = (version == 0x1000009 || version == 0x2000000) && PyTuple_GET_SIZE(dtypes) == KINDS
        && Py_TYPE(probe) == array && array->tp_basicsize >= (Py_ssize_t)sizeof(Array);
    for (int kind = 0; fits && kind < KINDS; kind++) {
        PyObject *size = PyObject_GetAttrString(PyTuple_GET_ITEM(dtypes, kind), "itemsize");
        if (!size) return NULL;
        fits = PyLong_AsSsize_t(size) == sizes_by_kind[kind];
        Py_DECREF(size);
    }
    if (!fits || ((Array *)probe)->flags != flags) {
        PyErr_SetString(PyExc_TypeError, "NumPy's arrays are not made as this was written for");
        return NULL;
    }
#if HAS_TWO_WAYS
    has_wide_vectors = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    has_widest_vectors = has_wide_vectors && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#elif HAS_VECTORS && defined(__aarch64__)
    has_wide_vectors = 1; /* every such processor has vectors, of 16 bytes: NumPy's are no wider */
#endif
    Py_INCREF(arguments); /* for as long as the process lives */
    array_type = array;
    for (int kind = 0; kind < KINDS; kind++) dtypes_by_kind[kind] = PyTuple_GET_ITEM(dtypes, kind);
    *(void **)&set_base_object = table[SET_BASE_OBJECT];
    *(void **)&new_from_descr = table[NEW_FROM_DESCR];
    Py_RETURN_NONE;
}

/* Attributes */

int integer_in(PyObject *number, Py_ssize_t *value) {
    if (!PyLong_CheckExact(number)) return -1;
    *value = PyLong_AsSsize_t(number);
    if (*value == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return -1;
    }
    return 1;
}

static PyObject *given(PyObject *attrs, PyObject *name) {
    PyObject *value = attrs ? PyDict_GetItemWithError(attrs, name) : NULL;
    if (!value) PyErr_Clear(); /* names are texts: nothing but want of memory */
    return value;
}

int integer_attribute(PyObject *attrs, PyObject *name, Py_ssize_t *value) {
    PyObject *number = given(attrs, name);
    return number ? integer_in(number, value) : 0;
}

int truth_attribute(PyObject *attrs, PyObject *name, int *value) {
    PyObject *truth = given(attrs, name);
    if (!truth) return 0;
    *value = truth == Py_True;
    return truth == Py_True || truth == Py_False ? 1 : -1;
}

int number_attribute(PyObject *attrs, PyObject *name, double *value) {
    PyObject *number = given(attrs, name);
    if (!number) return 0;
    if (PyFloat_CheckExact(number)) *value = PyFloat_AS_DOUBLE(number);
    else {
        Py_ssize_t whole;
        if (integer_in(number, &whole) < 0 || whole > 1 << 24 || whole < -(1 << 24)) return -1;
        *value = (double)whole;
    }
    return 1;
}

int text_attribute(PyObject *attrs, PyObject *name, const char *text) {
    PyObject *value = given(attrs, name);
    return !value || (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, text) == 0);
}

int integers_attribute(PyObject *attrs, PyObject *name, Py_ssize_t *values, Py_ssize_t *count) {
    PyObject *numbers = given(attrs, name);
    if (!numbers) return 0;
    if (!PyList_CheckExact(numbers) && !PyTuple_CheckExact(numbers)) return -1;
    *count = PySequence_Fast_GET_SIZE(numbers);
    if (*count > MOST_DIMENSIONS) return -1;
    for (Py_ssize_t n = 0; n < *count; n++)
        if (integer_in(PySequence_Fast_GET_ITEM(numbers, n), values + n) < 0) return -1;
    return 1;
}

/* The type */

static PyObject *numpy_module; /* the namespace of arrays on the host, from whoever made the first form */

static PyObject *called(PyObject *self, PyObject *const *arguments, size_t flagged, PyObject *names) {
    Form *form = (Form *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flagged), named = names ? PyTuple_GET_SIZE(names) : 0;
    Py_ssize_t first = form->is_direct ? 0 : 1;
    if (count >= first && (form->is_direct ? !named : arguments[0] == numpy_module)) {
        PyObject *attrs = named ? PyDict_New() : NULL;
        if (named && !attrs) return NULL;
        for (Py_ssize_t n = 0; n < named; n++)
            if (PyDict_SetItem(attrs, PyTuple_GET_ITEM(names, n), arguments[count + n]) < 0) {
                Py_DECREF(attrs);
                return NULL;
            }
        PyObject *result = form->function(form->with, arguments + first, count - first, attrs);
        Py_XDECREF(attrs);
        if (result != Py_NotImplemented) return result;
        Py_DECREF(result);
    }
    return PyObject_Vectorcall(form->kernel, arguments, flagged, names);
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Form *)self)->kernel);
    return 0;
}

static int clear(PyObject *self) {
    Py_CLEAR(((Form *)self)->kernel);
    return 0;
}

static void dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *shown(PyObject *self) {
    return PyUnicode_FromFormat("<compiled form of %R>", ((Form *)self)->kernel);
}

static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(Form, vectorcall), READONLY, NULL},
                                {"kernel", T_OBJECT_EX, offsetof(Form, kernel), READONLY, "What computes the rest."},
                                {"takes_any_size", T_INT, offsetof(Form, takes_any_size), READONLY,
                                 "Whether it is asked before an engine is, however large its operands are."},
                                {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_call, PyVectorcall_Call}, {Py_tp_traverse, traverse}, {Py_tp_clear, clear}, {Py_tp_dealloc, dealloc},
    {Py_tp_members, members}, {Py_tp_repr, shown},
    {Py_tp_doc, "What computes small arrays in the place of a kernel, which computes the rest."}, {0, NULL}};
static PyType_Spec specification = {
    "proa.ops.core._dispatch.Form", sizeof(Form), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

const char make_form_doc[] =
    "form($module, name, kernel, is_direct, namespace, /)\n--\n\n"
    "What computes in the place of a kernel: the form of that name; None where there is none, or arrays cannot be made.\n"
    "A direct one is called with the inputs alone, as NumPy's functions are; others as kernels, with the namespace.";

PyObject *make_form(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    if (count != 4 || !PyUnicode_Check(arguments[0])) {
        PyErr_SetString(PyExc_TypeError, "form(name, kernel, is_direct, namespace): name must be a str.");
        return NULL;
    }
    const char *name = PyUnicode_AsUTF8(arguments[0]);
    int is_direct = PyObject_IsTrue(arguments[2]);
    if (!name || is_direct < 0) return NULL;
    const FormEntry *kernels[] = {shape_forms, reduction_forms, making_forms, network_forms, order_forms, part_forms,
                                  layer_forms, product_forms, softmax_forms, gate_forms, attention_forms, along_forms,
                                  rule_forms, elementwise_forms, NULL};
    const FormEntry *direct[] = {elementwise_forms, NULL}, **tables = is_direct ? direct : kernels, *found = NULL;
    for (; arrays_can_be_made() && !found && *tables; tables++)
        for (const FormEntry *entry = *tables; entry->name && !found; entry++)
            if (strcmp(entry->name, name) == 0) found = entry;
    if (!found) Py_RETURN_NONE;
    if (!numpy_module) numpy_module = Py_NewRef(arguments[3]);
    Form *form = (Form *)form_type->tp_alloc(form_type, 0);
    if (!form) return NULL;
    form->vectorcall = called;
    form->function = found->function;
    form->with = found->with;
    form->kernel = Py_NewRef(arguments[1]);
    form->is_direct = is_direct;
    form->takes_any_size = found->takes_any_size;
    return (PyObject *)form;
}

int add_forms(PyObject *module) {
#define NAMED(name) {&name_##name, #name},
    struct { PyObject **place; const char *text; } texts[] = {NAMES(NAMED)};
#undef NAMED
    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        if (!*texts[n].place && !(*texts[n].place = PyUnicode_InternFromString(texts[n].text))) return -1;
    PyObject *type = PyType_FromSpec(&specification);
    if (!type) return -1;
    Py_XSETREF(form_type, (PyTypeObject *)type);
    return PyModule_AddObjectRef(module, "Form", type);
}
