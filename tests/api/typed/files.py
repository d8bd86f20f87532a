"""jit.save, jit.load, inference."""
import os
import tempfile

import numpy as np
import proa as paddle
from proa import inference, nn
from proa.jit import TranslatedLayer, to_static
from proa.static import InputSpec


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.scale = self.create_parameter([1], default_initializer=nn.initializer.Constant(2.0))
        self.register_buffer("count", paddle.zeros([1]))

    @to_static(input_spec=[InputSpec([None, 4], "float32", name="x")])
    def forward(self, x: paddle.Tensor) -> paddle.Tensor:
        y = self.fc(x)
        if y.mean() > 0:
            y = y * self.scale
        return y

    @to_static(input_spec=[InputSpec([None, 2])])
    def twice(self, x: paddle.Tensor) -> paddle.Tensor:
        return 2 * x


net = Net()
folder = tempfile.mkdtemp()
path = os.path.join(folder, "net")
paddle.jit.save(net, path)
loaded = paddle.jit.load(path)
x = paddle.ones([3, 4])
same: paddle.Tensor = loaded(x)
_l: TranslatedLayer = loaded
print(bool(paddle.allclose(same, net(x))), net.twice(same).shape)
loaded.train()
opt = paddle.optimizer.SGD(0.1, parameters=loaded.parameters())
(loaded(x) ** 2).mean().backward()
opt.step()
config = inference.Config(path + ".pdmodel", path + ".pdiparams")
config.disable_gpu()
config.set_cpu_math_library_num_threads(1)
predictor = inference.create_predictor(config)
handle = predictor.get_input_handle(predictor.get_input_names()[0])
handle.copy_from_cpu(np.ones((2, 4), "float32"))
predictor.run()
out = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
print(out.shape, out.dtype)
paddle.save({"model": net.state_dict(), "epoch": 3}, os.path.join(folder, "c.pdparams"))
state = paddle.load(os.path.join(folder, "c.pdparams"))
missing, unexpected = net.set_state_dict(state["model"])
print(missing, unexpected, state["epoch"])
