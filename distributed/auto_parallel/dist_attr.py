"""DistAttr: along which dimensions of a mesh those of a tensor would be divided, by name."""

from __future__ import annotations

from collections.abc import Sequence

from .process_mesh import ProcessMesh

__all__ = ["DistAttr"]


class DistAttr:
    """For each dimension of a tensor the name of the mesh's dimension that would divide it, or None.

    >>> from proa.distributed import DistAttr, ProcessMesh
    >>> mesh = ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
    >>> DistAttr(mesh, ["x", None]).sharding_specs
    ['x', None]
    """

    def __init__(self, mesh: ProcessMesh, sharding_specs: Sequence[str | None]):
        if not isinstance(mesh, ProcessMesh):
            raise ValueError(f"DistAttr(mesh): must be a ProcessMesh. Received {mesh!r:.100}.")
        wrong = [name for name in sharding_specs if name is not None and name not in mesh.dim_names]
        if wrong:
            raise ValueError(f"DistAttr(sharding_specs): must be None or names of the mesh's dimensions, "
                             f"{mesh.dim_names}. Received {wrong[0]!r}.")
        self.process_mesh, self.sharding_specs = mesh, list(sharding_specs)
