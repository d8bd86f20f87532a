"""The launcher: sets the PADDLE_* variables that scripts for several processes read, and runs the script.

What asks for more than one process is refused; options that say how processes find each other change nothing.
"""

from __future__ import annotations

import argparse
import os

from ...compat.alias import run_module, run_script

_PASSED_OVER = (  # how processes of Paddle's find each other, are watched, started again and logged
    "master", "legacy", "rank", "log_level", "log_overwrite", "sort_ip", "enable_gpu_log", "job_id", "host",
    "auto_parallel_config", "gloo_port", "with_gloo", "max_restart", "elastic_level", "elastic_timeout")
_OF_SERVERS = ("servers", "trainers", "trainer_num", "server_num")
_DEFAULT_PORT = 6070


def launch() -> None:
    """Runs the script that the command line names, its arguments behind it, with `import paddle` answered by proa.

    `--devices`, `--nnodes`, `--nproc_per_node` and `--ips` may name one; more, and servers, are an error of usage.
    """
    parser = _parser()
    options = parser.parse_args()
    _check_one_process(parser, options)
    _announce(os.environ, options)
    if options.module:
        run_module(options.training_script, options.arguments)
    elif options.training_script.endswith(".py"):
        run_script(options.training_script, options.arguments)
    else:  # a program of another kind takes this process over
        os.execvp(options.training_script, [options.training_script, *options.arguments])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m proa.distributed.launch", allow_abbrev=False,
        description="Runs a training script in one process, with the variables that Paddle's launcher sets. What it "
                    "prints stays on the terminal.")
    parser.add_argument("--nnodes", default="1", help="how many machines: 1")
    parser.add_argument("--nproc_per_node", type=int, default=1, help="how many processes on each: 1")
    parser.add_argument("--devices", "--gpus", "--npus", "--xpus", default="", help="the device to use: one number")
    parser.add_argument("--ips", default="", help="the machines' addresses: one")
    parser.add_argument("--run_mode", default="collective", help="collective")
    parser.add_argument("--log_dir", default="log", help="what PADDLE_LOG_DIR says; nothing is written there")
    parser.add_argument("--start_port", type=int, default=_DEFAULT_PORT, help="the port of PADDLE_CURRENT_ENDPOINT")
    parser.add_argument("-m", "--module", action="store_true", help="the script is a module's name")
    for name in _PASSED_OVER:
        parser.add_argument(f"--{name}", help="changes nothing")
    for name in _OF_SERVERS:
        parser.add_argument(f"--{name}", default="", help="not supported")
    parser.add_argument("training_script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser


def _check_one_process(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    def refuse(what: str, instead: str) -> None:
        parser.error(f"{what}: training by several processes is not supported. Use {instead}.")

    counts = {"nnodes": options.nnodes, "nproc_per_node": options.nproc_per_node}
    for name, count in counts.items():
        if str(count) not in ("1", "1:1"):
            refuse(f"--{name} {count}", f"--{name} 1")
    for name in ("devices", "ips"):
        if len(getattr(options, name).split(",")) > 1:
            refuse(f"--{name} {getattr(options, name)}", f"--{name} with one of them")
    if options.run_mode != "collective":
        refuse(f"--run_mode {options.run_mode}", "--run_mode collective")
    for name in _OF_SERVERS:
        if getattr(options, name):
            refuse(f"--{name} {getattr(options, name)}", "a script that trains without servers")


def _announce(variables: os._Environ[str], options: argparse.Namespace) -> None:
    """Sets what Paddle's launcher sets for the first of one process."""
    endpoint = f"127.0.0.1:{options.start_port}"
    variables.update({
        "PADDLE_MASTER": options.master or endpoint, "PADDLE_NNODES": "1", "PADDLE_GLOBAL_SIZE": "1",
        "PADDLE_LOCAL_SIZE": "1", "PADDLE_GLOBAL_RANK": "0", "PADDLE_LOCAL_RANK": "0", "PADDLE_RANK_IN_NODE": "0",
        "PADDLE_TRAINER_ID": "0", "PADDLE_TRAINERS_NUM": "1", "PADDLE_CURRENT_ENDPOINT": endpoint,
        "PADDLE_TRAINER_ENDPOINTS": endpoint, "PADDLE_LOG_DIR": os.path.abspath(options.log_dir)})
    if options.devices:
        variables["FLAGS_selected_gpus"] = options.devices
