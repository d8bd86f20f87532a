"""ProcessMesh: processes arranged in rows, columns and so on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["ProcessMesh"]


class ProcessMesh:
    """The numbers of processes, each once, arranged in an array whose dimensions have names.

    Raises ValueError for numbers that repeat or are not whole, and for another number of names.

    >>> from proa.distributed import ProcessMesh
    >>> mesh = ProcessMesh([[2, 4, 5], [0, 1, 3]], dim_names=["x", "y"])
    >>> mesh.shape, mesh.process_ids, mesh.get_dim_size("y")
    ([2, 3], [2, 4, 5, 0, 1, 3], 3)
    >>> mesh[:, 1] == ProcessMesh([4, 1])
    True
    """

    def __init__(self, mesh: Any = None, dim_names: Sequence[str] | None = None, shape: Sequence[int] | None = None,
                 process_ids: Sequence[int] | None = None):
        if mesh is None:
            if shape is None or process_ids is None:
                raise ValueError("ProcessMesh(): needs mesh, or shape and process_ids. Received neither.")
            mesh = np.asarray(process_ids).reshape(shape)
        elif not isinstance(mesh, (list, tuple, np.ndarray)):
            raise ValueError(f"ProcessMesh(mesh): must be a list or an array. Received {mesh!r}.")
        self._mesh = np.array(mesh)
        if self._mesh.dtype.kind not in "iu" or self._mesh.size != np.unique(self._mesh).size or self._mesh.min() < 0:
            raise ValueError(f"ProcessMesh(mesh): must hold numbers of processes, each once. "
                             f"Received {self._mesh.tolist()}.")
        self._names = [f"d{place}" for place in range(self._mesh.ndim)] if dim_names is None else list(dim_names)
        if len(self._names) != self._mesh.ndim or len(set(self._names)) != self._mesh.ndim:
            raise ValueError(f"ProcessMesh(dim_names): must be a name for each of {self._mesh.ndim} dimensions. "
                             f"Received {self._names}.")

    @property
    def mesh(self) -> np.ndarray:
        """The numbers as an array."""
        return self._mesh

    @property
    def shape(self) -> list[int]:
        """The sizes of the dimensions."""
        return list(self._mesh.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._mesh.ndim

    @property
    def size(self) -> int:
        """How many processes there are."""
        return int(self._mesh.size)

    @property
    def dim_names(self) -> list[str]:
        """The names of the dimensions."""
        return self._names

    @property
    def process_ids(self) -> list[int]:
        """The numbers one behind the other."""
        return self._mesh.reshape(-1).tolist()

    def get_dim_size(self, dim_name: str) -> int:
        """The size of a dimension by its name."""
        return self._mesh.shape[self._place(dim_name)]

    def get_mesh_with_dim(self, dim_name: str, index: int | None = None) -> ProcessMesh:
        """The mesh with a dimension first; with `index` what lies there along it."""
        place = self._place(dim_name)
        moved = np.moveaxis(self._mesh, place, 0)
        names = [dim_name, *(name for name in self._names if name != dim_name)]
        return ProcessMesh(moved, names) if index is None else ProcessMesh(moved[index], names[1:])

    def _place(self, name: str) -> int:
        if name not in self._names:
            raise ValueError(f"ProcessMesh: a dimension is one of {self._names}. Received {name!r}.")
        return self._names.index(name)

    def __contains__(self, process: int) -> bool:
        return bool((self._mesh == process).any())

    def __getitem__(self, index: Any) -> ProcessMesh:
        parts = index if isinstance(index, tuple) else (index,)
        found = self._mesh[index]
        kept = [name for place, name in enumerate(self._names)
                if place >= len(parts) or not isinstance(parts[place], (int, np.integer))]
        return ProcessMesh(found, kept) if np.ndim(found) else ProcessMesh([int(found)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProcessMesh) and np.array_equal(self._mesh, other._mesh)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ProcessMesh(mesh={self._mesh.tolist()}, dim_names={self._names})"
