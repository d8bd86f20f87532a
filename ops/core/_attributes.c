/* Attributes of layers: what `Layer.__getattr__` finds in Python, without the AttributeError that leads there.

A layer's parameters, sublayers and buffers stand in dicts of its instance's dict. Python looks for an attribute in the
class and the instance first, and calls `__getattr__` when it has made an error of that; `Attributes` looks further by
itself. It has no part in what a class defines: a class with a `__getattr__` of its own is asked as ever.
*/
#include "_dispatch.h"

static PyObject *of_layers; /* `Layer.__getattr__` */
static PyObject *registers[3], *str_getattr, *str_getitem, *str_contains;

/* Whether it is a dict that nobody has taught to read otherwise. */
static int reads_as_dict(PyObject *x) {
    if (!x || !PyDict_Check(x)) return 0;
    PyTypeObject *type = Py_TYPE(x);
    return type == &PyDict_Type || type == &PyODict_Type
        || (_PyType_Lookup(type, str_getitem) == _PyType_Lookup(&PyDict_Type, str_getitem)
            && _PyType_Lookup(type, str_contains) == _PyType_Lookup(&PyDict_Type, str_contains));
}

/* What an instance's dict, or a register in it, has under the name: a new reference; NULL, with or without an error. */
static PyObject *found_in(PyObject *own, PyObject *name) {
    PyObject *found = PyDict_GetItemWithError(own, name);
    for (int n = 0; !found && n < 3 && !PyErr_Occurred(); n++) {
        PyObject *entries = PyDict_GetItemWithError(own, registers[n]);
        if (!reads_as_dict(entries)) return NULL; /* before __init__, or another mapping: Python says what it is */
        found = PyDict_GetItemWithError(entries, name);
    }
    return Py_XNewRef(found);
}

static PyObject *getattribute(PyObject *self, PyObject *name) {
    PyTypeObject *type = Py_TYPE(self);
    if (of_layers && PyUnicode_CheckExact(name) && !_PyType_Lookup(type, name)
        && _PyType_Lookup(type, str_getattr) == of_layers) {
        PyObject *own = PyObject_GenericGetDict(self, NULL);
        if (!own) return NULL;
        PyObject *found = found_in(own, name);
        Py_DECREF(own);
        if (found || PyErr_Occurred()) return found;
    }
    return PyObject_GenericGetAttr(self, name);
}

static PyMethodDef methods[] = {{"__getattribute__", getattribute, METH_O, "As of any object, and then as Layer's __getattr__."},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_methods, methods}, {Py_tp_doc, "Finds parameters, sublayers and buffers of a layer. It holds nothing."}, {0, NULL}};
PyType_Spec attributes = {"proa.ops.core._dispatch.Attributes", sizeof(PyObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

const char serve_attributes_doc[] = PyDoc_STR("serve_attributes($module, getattr, registers, /)\n--\n\n"
             "Takes Layer's `__getattr__`, and the names of three dicts in the order in which it looks through them.");

PyObject *serve_attributes(PyObject *module, PyObject *arguments) {
    PyObject *function, *names[3];
    if (!PyArg_ParseTuple(arguments, "O(UUU)", &function, names, names + 1, names + 2)) return NULL;
    str_getattr = PyUnicode_InternFromString("__getattr__");
    str_getitem = PyUnicode_InternFromString("__getitem__");
    str_contains = PyUnicode_InternFromString("__contains__");
    if (!str_getattr || !str_getitem || !str_contains) return NULL;
    Py_INCREF(arguments); /* for as long as the process lives */
    for (int n = 0; n < 3; n++) registers[n] = names[n];
    of_layers = function;
    Py_RETURN_NONE;
}
