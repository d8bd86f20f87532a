/* The messages of a file of Programs as Python's objects, by a table of their fields: what protobuf reads, without it.
   Whatever is damaged, or unusual in a file that is sound, is left to protobuf, which says what and where it is.

   A table is (class, fields by their numbers, which of them have to be there, as bits, a frozenset or None: messages
   of these names are passed over); a field None, or (name, what its bytes are, the class of its list or None, more: the table of a
   message, or the values of an enumeration as bits). */
#include "_native.h"

#include <stdint.h>

enum { NUMBER32, NUMBER64, TRUTH, VALUE, FLOATING32, FLOATING64, TEXT, NAME, MESSAGE }; /* as `plain_messages.py` has them */
enum { VARINT, FIXED64, BYTES, FIXED32 = 5 };
enum { MOST_NUMBERS = 64 };

typedef struct { const unsigned char *at, *end; } Rest;

const char read_message_doc[] =
    "read_message($module, data, table, /)\n--\n\n"
    "The message of these bytes, by its table; None where that is left to protobuf.";

/* 1, or 0 where there is no number. */
static int varint(Rest *rest, uint64_t *found) {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && rest->at < rest->end; shift += 7) {
        unsigned char byte = *rest->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            *found = value;
            return shift < 63 || byte < 2;
        }
    }
    return 0;
}

/* 1, or 0 where fewer bytes follow than are told. */
static int part_of(Rest *rest, Rest *found) {
    uint64_t size;
    if (!varint(rest, &size) || size > (uint64_t)(rest->end - rest->at)) return 0;
    found->at = rest->at, found->end = rest->at += size;
    return 1;
}

static int wire_of(long what) {
    return what >= TEXT ? BYTES : what == FLOATING32 ? FIXED32 : what == FLOATING64 ? FIXED64 : VARINT;
}

/* A number's object, or NULL: with an error, or without one where it is left to protobuf. */
static PyObject *number(Rest *rest, long what, PyObject *more) {
    if (what == FLOATING32 || what == FLOATING64) {
        Py_ssize_t size = what == FLOATING32 ? 4 : 8;
        float narrow;
        double wide;
        if (rest->end - rest->at < size) return NULL;
        if (what == FLOATING32) memcpy(&narrow, rest->at, 4), wide = narrow; /* bytes lie as in the file: see below */
        else memcpy(&wide, rest->at, 8);
        rest->at += size;
        return PyFloat_FromDouble(wide);
    }
    uint64_t value;
    if (!varint(rest, &value)) return NULL;
    if (what == TRUTH) return PyBool_FromLong(value != 0);
    if (what == NUMBER64) return PyLong_FromLongLong((int64_t)value);
    if (what == NUMBER32) return PyLong_FromLong((int32_t)(uint32_t)value);
    uint64_t known = PyLong_AsUnsignedLongLong(more);
    return value < MOST_NUMBERS && known >> value & 1 ? PyLong_FromLong((long)value) : NULL;
}

static PyObject *text(Rest of, int is_name) {
    PyObject *found = PyUnicode_DecodeUTF8((const char *)of.at, of.end - of.at, NULL);
    if (!found && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) PyErr_Clear();
    if (found && is_name) PyUnicode_InternInPlace(&found);
    return found;
}

static PyObject *message(Rest rest, PyObject *table); /* None where it is passed over */

/* Adds to a list, unless it is None; takes the value, which may be NULL. */
static int add(PyObject *list, PyObject *value) {
    int ended = value == Py_None ? 0 : value ? PyList_Append(list, value) : -1;
    Py_XDECREF(value);
    return ended;
}

/* A field's value, into the object's attributes; -1 with an error, or without one. */
static int take(Rest *rest, int wire, PyObject *field, PyObject *into, int is_there) {
    PyObject *name = PyTuple_GET_ITEM(field, 0), *list_type = PyTuple_GET_ITEM(field, 2);
    PyObject *more = PyTuple_GET_ITEM(field, 3), *value;
    long what = PyLong_AsLong(PyTuple_GET_ITEM(field, 1));
    int is_list = list_type != Py_None, is_packed = is_list && wire == BYTES && what < TEXT;
    Rest part = {0};
    if (wire != wire_of(what) && !is_packed) return -1;
    if (wire == BYTES && !part_of(rest, &part)) return -1;
    if (is_there && !is_list && what == MESSAGE) return -1; /* which would be joined */
    PyObject *list = NULL;
    if (is_list) {
        list = PyDict_GetItemWithError(into, name);
        if (!list) {
            PyObject *made = PyErr_Occurred() ? NULL : PyObject_CallNoArgs(list_type);
            if (!made || PyDict_SetItem(into, name, made) < 0) {
                Py_XDECREF(made);
                return -1;
            }
            list = made;
            Py_DECREF(made); /* the object's attributes hold it */
        }
    }
    if (is_packed) {
        while (part.at < part.end)
            if (add(list, number(&part, what, more)) < 0) return -1;
        return 0;
    }
    value = what == MESSAGE ? message(part, more) : what >= TEXT ? text(part, what == NAME) : number(rest, what, more);
    if (is_list) return add(list, value);
    int ended = value ? PyDict_SetItem(into, name, value) : -1;
    Py_XDECREF(value);
    return ended;
}

/* Passes over a field that no table has; -1 where it cannot be one. */
static int pass_over(Rest *rest, int wire) {
    Rest part;
    uint64_t ignored;
    Py_ssize_t size = wire == FIXED64 ? 8 : 4;
    if (wire == VARINT) return varint(rest, &ignored) ? 0 : -1;
    if (wire == BYTES) return part_of(rest, &part) ? 0 : -1;
    if ((wire != FIXED64 && wire != FIXED32) || rest->end - rest->at < size) return -1;
    rest->at += size;
    return 0;
}

static PyObject *message(Rest rest, PyObject *table) {
    PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(table, 0);
    PyObject *fields = PyTuple_GET_ITEM(table, 1), *unwanted = PyTuple_GET_ITEM(table, 3), *found = NULL;
    uint64_t needed = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(table, 2)), there = 0;
    PyObject *into = PyDict_New();
    while (into && rest.at < rest.end) {
        uint64_t tag;
        if (!varint(&rest, &tag) || tag >> 3 == 0 || tag > UINT32_MAX) goto end;
        uint64_t which = tag >> 3;
        PyObject *field = which < (uint64_t)PyTuple_GET_SIZE(fields) ? PyTuple_GET_ITEM(fields, which) : Py_None;
        int wire = (int)(tag & 7);
        if (field == Py_None) {
            if (pass_over(&rest, wire) < 0) goto end;
            continue;
        }
        if (take(&rest, wire, field, into, there >> which & 1) < 0) goto end;
        there |= (uint64_t)1 << which;
        if (unwanted != Py_None && PyLong_AsLong(PyTuple_GET_ITEM(field, 1)) == NAME) {
            int is_unwanted = PySet_Contains(unwanted, PyDict_GetItemWithError(into, PyTuple_GET_ITEM(field, 0)));
            if (is_unwanted > 0) found = Py_NewRef(Py_None);
            if (is_unwanted) goto end;
        }
    }
    if (into && (there & needed) == needed) {
        found = type->tp_alloc(type, 0);
        if (found && PyObject_GenericSetDict(found, into, NULL) < 0) Py_CLEAR(found);
    }
end:
    Py_XDECREF(into);
    return found;
}

PyObject *read_message(PyObject *module, PyObject *arguments) {
    Py_buffer data;
    PyObject *table;
    if (!PyArg_ParseTuple(arguments, "y*O!", &data, &PyTuple_Type, &table)) return NULL;
    PyObject *found = PY_BIG_ENDIAN ? NULL : message((Rest){data.buf, (const unsigned char *)data.buf + data.len}, table);
    PyBuffer_Release(&data);
    if (found || PyErr_Occurred()) return found;
    Py_RETURN_NONE;
}
