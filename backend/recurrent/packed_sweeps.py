"""Whole sweeps over packed rows of sequences of any lengths as generated loops: the cells of dynamic_lstm, dynamic_gru.

Sequences stand longest first: the t-th step has the first `active[t]` of them, and sequence q's row is `first[q]` +
t · `step`. A thread takes every so many blocks of 4 sequences, through all steps: no thread waits for another, and all
have as many long ones. What is kept is in the order of the rows. `states` tells whether there are initial states; where
there are none, the first step has no recurrent product. A row of a block whose sequence has ended is computed with, and
what comes of it is not looked at; going back its gradients are zeros.
"""
# ruff: noqa: D103 - kernels; `packed.py` says what they are given

from __future__ import annotations

import functools
from typing import Any

from .. import loops
from ..loops.compiler import has_wide_vectors
from ..loops.functions import declare
from ..loops.names import parallel
from .blocks import block_product, wide_block_product
from .rows import copy, fast_sigmoid, fast_tanh


@loops.function
def add_panels(a, weights, z, begin, apart, active, count, depth, first, panels, z_row):
    """z += a weights for the blocks from the row `begin` on, each `apart` rows behind the one before, by panels."""
    for p in range(first, panels):
        for k in range(0, depth, 192):
            for r in range(begin, active, apart):
                block_product(a + (r * depth + k), depth, count - r, weights + (p * depth + k) * 16,
                              min(192, depth - k), z + (r * z_row + p * 16), z_row, z + (r * z_row + p * 16), z_row)


if has_wide_vectors():
    @loops.function
    def add_blocks(a, weights, z, begin, apart, active, count, depth, panels, z_row):
        """The same for all panels, four at a time where there are as many."""
        whole = panels // 4 * 4
        for p in range(0, whole, 4):
            for k in range(0, depth, 192):
                for r in range(begin, active, apart):
                    wide_block_product(a + (r * depth + k), depth, count - r, weights + (p * depth + k) * 16,
                                       depth * 16, min(192, depth - k), z + (r * z_row + p * 16), z_row,
                                       z + (r * z_row + p * 16), z_row)
        add_panels(a, weights, z, begin, apart, active, count, depth, whole, panels, z_row)
else:
    @loops.function
    def add_blocks(a, weights, z, begin, apart, active, count, depth, panels, z_row):
        """The same for all panels."""
        add_panels(a, weights, z, begin, apart, active, count, depth, 0, panels, z_row)


class _Named:
    """A function of the language of which only the source is there, to be chosen by its name."""

    def __init__(self, name: str):
        self.__name__ = name

    def __call__(self, *_: Any) -> None:
        raise TypeError(f"{self.__name__} is called by generated loops only.")


_VALUES = {"sigmoid": "fast_sigmoid({})", "tanh": "fast_tanh({})", "relu": "max({}, 0.0)", "identity": "({})"}
_SLOPES = {"sigmoid": "({0} * (1.0 - {0}))", "tanh": "(1.0 - {0} * {0})", "relu": "(1.0 if {0} > 0.0 else 0.0)",
           "identity": "1.0"}

_LSTM_ROW = """def {name}(z, bias, peepholes, h, c, gates, cell, shown, out, hidden):
    for j in range(hidden):
        a = z[j] + bias[j]
        gates[j] = {candidate}
    for j in range(hidden):
        a = z[hidden + j] + bias[hidden + j] + peepholes[j] * c[j]
        gates[hidden + j] = {gate}
    for j in range(hidden):
        k = 2 * hidden + j
        a = z[k] + bias[k] + peepholes[hidden + j] * c[j]
        gates[k] = {gate}
    for j in range(hidden):
        k = 3 * hidden + j
        new = gates[j] * gates[hidden + j] + c[j] * gates[2 * hidden + j]
        a = z[k] + bias[k] + peepholes[2 * hidden + j] * new
        o = {gate}
        content = {cell}
        y = o * content
        gates[k] = o
        c[j] = new
        cell[j] = new
        shown[j] = content
        h[j] = y
        out[j] = y
"""

_LSTM_ROW_BACK = """def {name}(gates, before, shown, peepholes, grad_out, grad_cell, back, dc, of, own, hidden):
    for j in range(hidden):
        g = gates[j]
        i = gates[hidden + j]
        f = gates[2 * hidden + j]
        o = gates[3 * hidden + j]
        content = shown[j]
        dh = grad_out[j] + back[j]
        do = dh * content * {output}
        d = dc[j] + grad_cell[j] + dh * o * {cell} + do * peepholes[2 * hidden + j]
        dg = d * i * {candidate}
        di = d * g * {input}
        df = d * before[j] * {forget}
        of[j] = dg
        of[hidden + j] = di
        of[2 * hidden + j] = df
        of[3 * hidden + j] = do
        own[j] = dg
        own[hidden + j] = di
        own[2 * hidden + j] = df
        own[3 * hidden + j] = do
        dc[j] = d * f + di * peepholes[j] + df * peepholes[hidden + j]
        back[j] = 0.0
"""


def _lstm_forward(x, bias, peepholes, weights, h, c, z, gates, cells, shown, out, first, active, count, steps, hidden,
                  panels, step, states, work, parts, *, row_of):
    for part in parallel(parts, work):
        for t in range(steps):
            n = active[t]
            for r in range(4 * part, n, 4 * parts):
                for q in range(r, min(r + 4, n)):
                    copy(x + (first[q] + t * step) * 4 * hidden, z + q * panels * 16, 4 * hidden)
            if t + states > 0:
                add_blocks(h, weights, z, 4 * part, 4 * parts, n, count, hidden, panels, panels * 16)
            for r in range(4 * part, n, 4 * parts):
                for q in range(r, min(r + 4, n)):
                    row = first[q] + t * step
                    row_of(z + q * panels * 16, bias, peepholes, h + q * hidden, c + q * hidden,
                             gates + row * 4 * hidden, cells + row * hidden, shown + row * hidden, out + row * hidden,
                             hidden)


def _lstm_backward(gates, before, shown, peepholes, grad_out, grad_cells, weights, back, dc, own, of, first, active,
                   count, steps, hidden, panels, step, states, work, parts, *, row_of):
    for part in parallel(parts, work):
        for m in range(steps):
            t = steps - 1 - m
            n = active[t]
            for r in range(4 * part, n, 4 * parts):
                for q in range(r, min(r + 4, n)):
                    row = first[q] + t * step
                    row_of(gates + row * 4 * hidden, before + row * hidden, shown + row * hidden, peepholes,
                                  grad_out + row * hidden, grad_cells + row * hidden, back + q * panels * 16,
                                  dc + q * hidden, of + row * 4 * hidden, own + q * 4 * hidden, hidden)
            if t + states > 0:
                add_blocks(own, weights, back, 4 * part, 4 * parts, n, count, 4 * hidden, panels, panels * 16)


@functools.cache
def lstm_forward(gate: str, cell: str, candidate: str) -> loops.Kernel:
    """The sweep there of a cell with these activations, by the names that attributes have."""
    name = f"lstm_row_{gate}_{cell}_{candidate}"
    declare(name, _LSTM_ROW.format(name=name, gate=_VALUES[gate].format("a"), cell=_VALUES[cell].format("new"),
                                   candidate=_VALUES[candidate].format("a")))
    return loops.kernel_with(_lstm_forward, row_of=_Named(name))


@functools.cache
def lstm_backward(gate: str, cell: str, candidate: str) -> loops.Kernel:
    """The sweep back of the same."""
    name = f"lstm_row_back_{gate}_{cell}_{candidate}"
    slopes = {what: _SLOPES[gate].format(of) for what, of in (("input", "i"), ("forget", "f"), ("output", "o"))}
    declare(name, _LSTM_ROW_BACK.format(name=name, cell=_SLOPES[cell].format("content"),
                                        candidate=_SLOPES[candidate].format("g"), **slopes))
    return loops.kernel_with(_lstm_backward, row_of=_Named(name))


@loops.function
def gru_gates(z, bias, h, gates, reset, own_reset, before, hidden):
    for j in range(2 * hidden):
        gates[j] = fast_sigmoid(z[j] + bias[j])
    for j in range(hidden):
        left = gates[hidden + j] * h[j]
        reset[j] = left
        own_reset[j] = left
        before[j] = h[j]


@loops.function
def gru_state(z, bias, h, gates, out, hidden, origin):
    for j in range(hidden):
        c = fast_tanh(z[j] + bias[2 * hidden + j])
        u = gates[j]
        share = 1.0 - u if origin else u
        y = h[j] + share * (c - h[j])
        gates[2 * hidden + j] = c
        h[j] = y
        out[j] = y


@loops.function
def gru_candidate_back(gates, before, grad_out, back, of, own_gates, own_candidate, hidden, origin):
    for j in range(hidden):
        u = gates[j]
        c = gates[2 * hidden + j]
        dh = grad_out[j] + back[j]
        share = 1.0 - u if origin else u
        change = before[j] - c if origin else c - before[j]
        dc = dh * share * (1.0 - c * c)
        du = dh * change * u * (1.0 - u)
        of[2 * hidden + j] = dc
        own_candidate[j] = dc
        of[j] = du
        own_gates[j] = du
        back[j] = dh * (1.0 - share)


@loops.function
def gru_reset_back(gates, before, of_reset, back, of, own_gates, hidden):
    for j in range(hidden):
        r = gates[hidden + j]
        d = of_reset[j]
        dr = d * before[j] * r * (1.0 - r)
        of[hidden + j] = dr
        own_gates[hidden + j] = dr
        back[j] += d * r
        of_reset[j] = 0.0


@loops.kernel
def gru_forward(x, bias, of_gates, of_candidate, h, z, own_reset, gates, reset, before, out, first, active, count,
                steps, hidden, gate_panels, panels, step, states, origin, work, parts):
    for part in parallel(parts, work):
        z_row = (gate_panels + panels) * 16
        for t in range(steps):
            n = active[t]
            for r in range(4 * part, n, 4 * parts):
                for q in range(r, min(r + 4, n)):
                    own = x + (first[q] + t * step) * 3 * hidden
                    copy(own, z + q * z_row, 2 * hidden)
                    copy(own + 2 * hidden, z + (q * z_row + gate_panels * 16), hidden)
            if t + states > 0:
                add_blocks(h, of_gates, z, 4 * part, 4 * parts, n, count, hidden, gate_panels, z_row)
            for r in range(4 * part, n, 4 * parts):
                for q in range(r, min(r + 4, n)):
                    row = first[q] + t * step
                    gru_gates(z + q * z_row, bias, h + q * hidden, gates + row * 3 * hidden, reset + row * hidden,
                              own_reset + q * hidden, before + row * hidden, hidden)
            if t + states > 0:
                add_blocks(own_reset, of_candidate, z + gate_panels * 16, 4 * part, 4 * parts, n, count, hidden, panels,
                           z_row)
            for r in range(4 * part, n, 4 * parts):
                for q in range(r, min(r + 4, n)):
                    row = first[q] + t * step
                    gru_state(z + (q * z_row + gate_panels * 16), bias, h + q * hidden, gates + row * 3 * hidden,
                              out + row * hidden, hidden, origin)


@loops.kernel
def gru_backward(gates, before, grad_out, of_gates, of_candidate, back, of_reset, own_gates, own_candidate, of, first,
                 active, count, steps, hidden, panels, step, states, origin, work, parts):
    for part in parallel(parts, work):
        for m in range(steps):
            t = steps - 1 - m
            n = active[t]
            for r in range(4 * part, n, 4 * parts):
                for q in range(r, min(r + 4, n)):
                    row = first[q] + t * step
                    gru_candidate_back(gates + row * 3 * hidden, before + row * hidden, grad_out + row * hidden,
                                       back + q * panels * 16, of + row * 3 * hidden, own_gates + q * 2 * hidden,
                                       own_candidate + q * hidden, hidden, origin)
            if t + states > 0:
                add_blocks(own_candidate, of_candidate, of_reset, 4 * part, 4 * parts, n, count, hidden, panels,
                           panels * 16)
            for r in range(4 * part, n, 4 * parts):
                for q in range(r, min(r + 4, n)):
                    row = first[q] + t * step
                    gru_reset_back(gates + row * 3 * hidden, before + row * hidden, of_reset + q * panels * 16,
                                   back + q * panels * 16, of + row * 3 * hidden, own_gates + q * 2 * hidden, hidden)
            if t + states > 0:
                add_blocks(own_gates, of_gates, back, 4 * part, 4 * parts, n, count, 2 * hidden, panels, panels * 16)
