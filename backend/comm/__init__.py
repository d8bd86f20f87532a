"""Communication between processes: what a group of them can do with arrays (`communicator.py`), by MPI
(`mpi.py`), and between CUDA devices by NCCL (`nccl.py`).

Knows arrays and bytes only. The operators are in `ops/collective/`, what users call and what trains is `distributed/`.
"""
