"""Runs another program on imagined devices, one for each process, that NCCL's engine connects; arguments follow."""

import os
import pathlib
import runpy
import sys

import paddle
from proa.backend import register_device_type
from proa.backend.comm.nccl import NCCLCommunicator
from proa.distributed import engine

programs = pathlib.Path(__file__).parent
sys.path.insert(0, str(programs.parents[1] / "backend"))
from cupy_stand_in import KIND, StandIn, namespace  # noqa: E402
from cupy_stand_in.cuda import Messages, Nccl, cupy_with  # noqa: E402

asked = []


def communicator(host, index):
    nccl = Nccl(Messages(host.ranks).connect)
    asked.append(nccl.asked)
    return NCCLCommunicator(cupy_with(nccl, namespace), nccl, host, index, engine.end_all)


register_device_type(KIND, StandIn)
engine.add_device_engine(KIND, engine.DeviceEngine("nccl_stand_in", communicator))
os.environ["BACKEND"] = "NCCL_STAND_IN"
paddle.set_device(KIND)
sys.argv = sys.argv[1:]
runpy.run_path(str(programs / sys.argv[0]), run_name="__main__")
assert asked and any(asked), "nothing was asked of NCCL"
