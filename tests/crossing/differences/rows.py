"""Rows of docs/differences.md as programs: `paddle`, `np`, `F` and `nn` are there, `got` is what they find.

Each is the beginning of a row, what is done, and what proa finds. PaddlePaddle 2.6.2 finds something else, an error
among it: where it does not, the row is no longer true. `ask.py` asks both.
"""

ROWS = [
    ("| `int64 + float32` tensors", "got = (paddle.to_tensor([2]) + paddle.to_tensor([0.5])).tolist()", [2.5]),
    ("| `paddle.add(int_tensor, float_tensor)`",
     "got = paddle.add(paddle.to_tensor([2]), paddle.to_tensor([0.5])).tolist()",
     [2.5]),
    ("| numbers that float32 does not hold beside float64", """
paddle.enable_static()
program = paddle.static.Program()
with paddle.static.program_guard(program):
    ids = paddle.static.data('ids', [2], 'int64') + 16777217
again = paddle.static.Program.parse_from_string(program.desc.serialize_to_string())
[found] = paddle.static.Executor().run(again, {'ids': np.arange(2)}, [ids.name])
paddle.disable_static()
got = found.tolist()""", [16777217, 16777218]),
    ("| `7 // x` for a tensor x", "got = (7 // paddle.to_tensor([2, -2])).tolist()", [3, -4]),
    ("| `if x:` and `bool(x)` of a Tensor with a negative number",
     "got = bool(paddle.to_tensor(-0.5)), bool(paddle.to_tensor([-2]))", (True, True)),
    ("| `F.pad` of 3 or 5 dimensions", "got = F.pad(paddle.ones([1, 2, 3]), [1, 1]).shape", [1, 2, 5]),
    ("| `nn.initializer.Assign` of as many elements",
     "assign = nn.initializer.Assign(np.ones([3, 2], 'f4'))\n"
     "got = nn.Linear(2, 3, weight_attr=paddle.ParamAttr(initializer=assign)).weight.shape",
     [2, 3]),
    ("| a float set over a Tensor that is a layer's attribute", """
layer = nn.Layer()
layer.loss = paddle.ones([1])
layer.loss = 0.0
got = layer.loss""", 0.0),
    ("| a Tensor set as an attribute that the class has too", """
class Cached(nn.Layer):
    cache = None
layer = Cached()
layer.cache = paddle.ones([1])
got = layer.cache is not None""", True),
    ("| `x.reshape([1])` of x without dimensions", """
x = paddle.to_tensor(2.0)
x.reshape([1])[0] = 5.0
got = x.item()""", 5.0),
    ("| in-place changes of a value that no gradient needs", """
x, w = paddle.ones([2]), paddle.ones([2])
x.stop_gradient = False
y = x * 2.0
z = y * w  # the gradient of x needs w alone
y.add_(w)
z.sum().backward()
got = x.grad.tolist()""", [2.0, 2.0]),
    ("| `b.grad` of a tensor b without gradient behind", """
w, b = paddle.ones([2]), paddle.ones([2])
w.stop_gradient = False
b.add_(w)
(b * b).sum().backward()
got = b.grad""", None),
    ("| `nn.Layer(dtype='float64').create_parameter(shape)`", """
layer = nn.Layer(dtype='float64')
got = [str(each.dtype).split('.')[-1] for each in (layer.create_parameter([2]), layer.create_tensor())]""",
     ["float64", "float64"]),
    ("| the gradient of `gaussian_nll_loss` for the variance; of `%`", """
x, variance = paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([0.5, 2.0])
x.stop_gradient = variance.stop_gradient = False
F.gaussian_nll_loss(x, paddle.zeros([2]), variance).backward()
(x % 1.5).sum().backward()
got = variance.grad is not None and variance.grad.tolist()""", [-0.5, -0.125]),
    ("| `sequential[0] = layer` where layers have names", """
net = nn.Sequential(('first', nn.ReLU()), ('second', nn.Tanh()))
net[0] = nn.Sigmoid()
got = [name for name, _ in net.named_children()]""", ["first", "second"]),
    ("| `x[mask] = y` of a one-dimensional y", """
x = paddle.to_tensor([[1.0, -1.0], [2.0, -2.0]])
x[x > 0.0] = paddle.to_tensor([10.0, 20.0])
got = x.tolist()""", [[10.0, -1.0], [20.0, -2.0]]),
    ("| hooks of what a PyLayer or `recompute` gave", """
class Twice(paddle.autograd.PyLayer):
    @staticmethod
    def forward(context, x):
        return x * 2.0
    @staticmethod
    def backward(context, g):
        return g * 2.0
x = paddle.ones([1])
x.stop_gradient = False
y = Twice.apply(x)
y.register_hook(lambda g: g * 10.0)
y.backward()
got = x.grad.tolist()""", [20.0]),
    ("| `lr.LinearLR.step(epoch)` that leaves epochs out", """
rate = paddle.optimizer.lr.LinearLR(0.4, 4, start_factor=0.5)
rate.step(4)
got = rate()""", 0.4),
    ("| two parameters of one name", """
attr = paddle.ParamAttr(name='shared_name_of_two')
first, second = (nn.Linear(2, 2, weight_attr=attr) for _ in range(2))
try:
    paddle.optimizer.SGD(parameters=[first.weight, second.weight])
    got = 'taken'
except ValueError as error:
    got = 'SGD' in str(error)""", True),
    ("| the gradient of what was computed of a value that `set_value` changed afterwards", """
w = paddle.to_tensor([2.0], stop_gradient=False)
fast = w.clone()
y = fast * fast
fast.set_value(paddle.to_tensor([20.0]))
y.backward()
got = w.grad.tolist()""", [4.0]),
    ("| the gradient of x behind `y = x * 2`, where `y.reshape_(…)`", """
x = paddle.ones([2, 3])
x.stop_gradient = False
y = x * 2
with paddle.no_grad():
    y.reshape_([3, 2])
y.sum().backward()
got = x.grad.shape""", [2, 3]),
    ("| the gradient through a view that was changed in place", """
x = paddle.ones([2, 2])
x.stop_gradient = False
y = x * 2.0
y[0].scale_(3.0)
(y * y).sum().backward()
got = x.grad.tolist()[0][0]""", 72.0),
    ("| what `as_strided` or `unfold` gave", """
x = paddle.zeros([2, 2])
paddle.as_strided(x, [2], [1]).fill_(1.0)
got = x.tolist()[0][0]""", 0.0),
    ("| `x.dtype.name`", "got = paddle.ones([1]).dtype.name", "float32"),
    ("| `x.grad.stop_gradient` after `backward()`", """
x = paddle.ones([1])
x.stop_gradient = False
(x * x).backward()
got = x.grad.stop_gradient""", True),
    ("| `g = x.grad`, and then another `backward()`", """
x = paddle.to_tensor([1., 2.], stop_gradient=False)
(x * 2.).sum().backward()
g = x.grad
(x * 3.).sum().backward()
got = g.tolist()""", [2.0, 2.0]),
    ("| `diff(x, n=2, prepend=…)`",
     "got = paddle.diff(paddle.to_tensor([1., 4., 9.]), n=2, prepend=paddle.to_tensor([0.])).tolist()",
     [2.0, 2.0]),
    ("| mean of integers, `mse_loss` of them", "got = paddle.to_tensor([1, 2]).mean().item()", 1.5),
    ("| integers of two widths",
     "got = str((paddle.ones([1], 'int32') * paddle.ones([1], 'int64')).dtype).split('.')[-1]", "int64"),
    ("| `/`, `//`, `%`, `**` and `@` of float32 with float64",
     "got = str((paddle.ones([1], 'float32') / paddle.ones([1], 'float64')).dtype).split('.')[-1]", "float64"),
    ("| a float array beside integer tensors", "got = (paddle.to_tensor([3]) * np.array([0.5])).tolist()", [1.5]),
    ("| bool tensors with numbers", "got = (paddle.to_tensor([True]) + 2).tolist()", [3]),
    ("| integers and complex numbers", "got = (paddle.to_tensor([2]) * 1j).tolist()", [2j]),
    ("| `paddle.divide` of two integer tensors",
     "got = paddle.divide(paddle.to_tensor([3]), paddle.to_tensor([2])).tolist()", [1.5]),
    ("| `paddle.pow(int_tensor, 2.5)`", "got = paddle.pow(paddle.to_tensor([4]), 2.5).tolist()", [32.0]),
    ("| `where(c, x, 0.5)` for x of float16",
     "got = str(paddle.where(paddle.to_tensor([True]), paddle.ones([1]), 0.5).dtype).split('.')[-1]", "float32"),
    ("| `x.numpy()`, `x.tolist()` of bfloat16", "got = paddle.to_tensor([1.5]).astype('bfloat16').tolist()", [1.5]),
    ("| `uint8 == -1`, `int8 < 300`", "got = (paddle.to_tensor([255], dtype='uint8') == -1).tolist()", [False]),
    ("| `uint8 // 300`, `uint8 % 300`", """
try:
    got = (paddle.to_tensor([200], dtype='uint8') % 300).tolist()
except OverflowError:
    got = 'OverflowError'""", "OverflowError"),
    ("| a tensor `== None`, `== object()`", "got = paddle.ones([1]) == None", False),
    ("| a NumPy array where an operator takes a tensor",
     "got = F.relu(np.array([-1., 2.], 'f4')).tolist()", [0.0, 2.0]),
    ("| `np.sum(x)`, `np.mean(x)`", "got = float(np.mean(paddle.to_tensor([1., 2.])))", 1.5),
    ("| `round(x)`, `round(x, 2)`, `divmod(x, y)`", "got = round(paddle.to_tensor([1.2])).tolist()", [1.0]),
    ("| `x.__dlpack__`", "got = hasattr(paddle.ones([1]), '__dlpack__')", True),
    ("| `zeros(2, 3)`, `x.reshape(2, -1)`", "got = paddle.zeros(2, 3).shape", [2, 3]),
    ("| `binary_cross_entropy_with_logits(pos_weight=…)`", """
x, one = paddle.to_tensor([-1.0]), paddle.to_tensor([1.0])
value = F.binary_cross_entropy_with_logits(x, one, pos_weight=paddle.to_tensor([3.0])).item()
got = abs(value - 3 * float(np.log1p(np.exp(1.0)))) < 1e-5""", True),
    ("| the gradient of `prod` where a factor is 0", """
x = paddle.to_tensor([0.0, 2.0])
x.stop_gradient = False
x.prod().backward()
got = x.grad.tolist()""", [2.0, 0.0]),
    ("| NaN in `relu`, `maximum`", "got = paddle.argmax(paddle.to_tensor([1.0, float('nan'), 2.0])).item()", 1),
    ("| the gradient of `x ** y` for y", """
x, y = paddle.to_tensor([0.0]), paddle.to_tensor([2.0])
y.stop_gradient = False
(x ** y).sum().backward()
got = y.grad.tolist()""", [0.0]),
    ("| the gradient of `x ** y` for x, where both are 0", """
x = paddle.to_tensor([0.0])
x.stop_gradient = False
(x ** paddle.to_tensor([0.0])).sum().backward()
got = x.grad.tolist()""", [0.0]),
    ("| `erfinv` beyond -1 and 1", "got = str(paddle.erfinv(paddle.to_tensor([2.0])).tolist())", "[nan]"),
    ("| `frexp` of infinities and NaN", "got = [x.tolist() for x in paddle.frexp(paddle.to_tensor([float('inf')]))]",
     [[float("inf")], [0.0]]),
    ("| sum of uint8 and int16", "got = paddle.to_tensor([200, 100], dtype='uint8').sum().item()", 300),
    ("| negative indices in `gather`, `index_select`",
     "got = paddle.index_select(paddle.to_tensor([1., 2.]), paddle.to_tensor([-1])).tolist()", [2.0]),
    ("| `concat`, `stack`, `where` of several dtypes",
     "got = paddle.concat([paddle.to_tensor([1]), paddle.to_tensor([0.5])]).tolist()", [1.0, 0.5]),
    ("| float32 with float64 in `conv2d`",
     "got = str(F.conv2d(paddle.ones([1, 1, 2, 2]), paddle.ones([1, 1, 1, 1], 'float64')).dtype).split('.')[-1]",
     "float64"),
    ("| `F.scaled_dot_product_attention` on a CPU", """
q = paddle.ones([1, 2, 1, 4])
got = F.scaled_dot_product_attention(q, q, q, is_causal=True).shape""", [1, 2, 1, 4]),
    ("| `MultiHeadAttention.gen_cache(key, type=StaticCache)`", """
layer = nn.MultiHeadAttention(4, 1)
got = layer.gen_cache(paddle.ones([1, 2, 4]), type=nn.MultiHeadAttention.StaticCache).v.shape""", [1, 1, 2, 4]),
    ("| `groups`, `base_width` of a residual network's `BasicBlock`", """
import warnings
from paddle.vision.models.resnet import BasicBlock
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter('always')
    BasicBlock(4, 4, groups=2)
got = len(said)""", 1),
    ("| `F.instance_norm(use_input_stats=False)`", """
x = paddle.arange(4, dtype='float32').reshape([1, 1, 2, 2])
got = F.instance_norm(x, paddle.zeros([1]), paddle.ones([1]), use_input_stats=False, eps=0.0).flatten().tolist()""",
     [0.0, 1.0, 2.0, 3.0]),
    ("| labels of `ctc_loss` and `rnnt_loss`", """
try:
    F.ctc_loss(paddle.zeros([3, 1, 4]), paddle.to_tensor([[7]], dtype='int32'), paddle.to_tensor([3]),
               paddle.to_tensor([1]))
    got = 'a number'
except ValueError:
    got = 'ValueError'""", "ValueError"),
    ("| the gradient of `F.normalize` where norms", """
x = paddle.to_tensor([[0.3, -0.2], [0.5, 2.0]], stop_gradient=False)
(F.normalize(x, axis=1, epsilon=1.0) * paddle.to_tensor([[1.0, 0.7], [0.2, -0.5]])).sum().backward()
got = x.grad.numpy()[1].round(3).tolist() == np.array([0.148, -0.037], 'f4').tolist()""", True),
    ("| the gradient of `F.batch_norm(use_global_stats=False)` for x", """
x = paddle.to_tensor([[[[1.0, 2.0, 5.0]]]], stop_gradient=False)
w, mean, variance = paddle.ones([1]), paddle.zeros([1]), paddle.ones([1])
w.stop_gradient = False
y = F.batch_norm(x, mean, variance, w, None, use_global_stats=False)
(y * paddle.to_tensor([[[[1.0, 0.0, 0.0]]]])).sum().backward()
got = bool(abs(float(x.grad.sum())) < 1e-5)""", True),
    ("| the gradient of `layer_norm` for x in float32", """
values = np.random.RandomState(0).rand(3, 4).astype('float32')
slopes = []
for frozen in (False, True):
    x = paddle.to_tensor(values, stop_gradient=False)
    weight, bias = paddle.to_tensor(values[0], stop_gradient=frozen), paddle.zeros([4])
    bias.stop_gradient = False
    (F.layer_norm(x, 4, weight, bias) * paddle.to_tensor(values[::-1].copy())).sum().backward()
    slopes.append(x.grad.numpy())
got = bool(np.allclose(*slopes, atol=1e-4))""", True),
    ("| `incubate.ModelAverage.apply` with frozen parameters", """
layer = nn.Linear(1, 1, bias_attr=nn.initializer.Constant(2.0))
layer.bias.stop_gradient = True
average = paddle.incubate.ModelAverage(0.5, parameters=layer.parameters(), min_average_window=2, max_average_window=4)
layer(paddle.ones([1, 1])).sum().backward()
average.step()
with average.apply():
    got = layer.bias.tolist()""", [2.0]),
    ("| `lr.CosineAnnealingWarmRestarts.set_state_dict`", """
first, second = (paddle.optimizer.lr.CosineAnnealingWarmRestarts(0.1, 2, 2) for _ in range(2))
first.step()
second.set_state_dict(first.state_dict())
first.step()
second.step()
got = abs(first() - second()) < 1e-9""", True),
    ("| groups of parameters in a Program, in `minimize`", """
layer = nn.Linear(1, 1)
groups = [{'params': [layer.weight]}, {'params': [layer.bias], 'learning_rate': 0.1}]
adam = paddle.optimizer.Adam(0.1, parameters=groups)
loss = layer(paddle.ones([1, 1])).sum()
loss.backward()
adam.minimize(loss)
got = 'works'""", "works"),
    ("| `AdamW(lr_ratio=…)` on a CPU", """
layer = nn.Linear(1, 1)
adam = paddle.optimizer.AdamW(0.1, parameters=layer.parameters(), lr_ratio=lambda p: 0.5)
layer(paddle.ones([1, 1])).sum().backward()
adam.step()
got = 'works'""", "works"),
    ("| `Momentum(rescale_grad=…)` on a CPU", """
layer = nn.Linear(1, 1, weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(1.0)), bias_attr=False)
rule = paddle.optimizer.Momentum(1.0, 0.0, parameters=layer.parameters(), rescale_grad=0.5)
layer(paddle.ones([1, 1])).sum().backward()
rule.step()
got = layer.weight.item()""", 0.5),
    ("| `fused_feedforward`, `fused_rms_norm`",
     "got = paddle.incubate.nn.functional.fused_rms_norm(paddle.ones([1, 4]), paddle.ones([4]), None, 1e-6, 1).shape",
     [1, 4]),
    ("| `float8_e4m3fn`, `float8_e5m2`", "got = 'e4m3' in str(paddle.ones([1]).astype('float8_e4m3fn').dtype)", True),
    ("| `sync_batch_norm` on a CPU", "got = nn.SyncBatchNorm(2)(paddle.ones([2, 2, 1, 1])).shape", [2, 2, 1, 1]),
    ("| `BatchNorm1D` to `3D` with one of",
     "net = nn.BatchNorm1D(2, bias_attr=False); net(paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]])).sum().backward(); "
     "got = net.weight.grad is not None", True),
    ("| `BatchNorm(is_test=True)` outside of",
     "got = nn.BatchNorm(1, is_test=True, epsilon=0.0)(paddle.to_tensor([[1.0], [3.0]])).tolist()", [[1.0], [3.0]]),
    ('| gradients of `conv2d_transpose(data_format="NHWC", stride=1)`',
     "x = paddle.arange(18.0).reshape([1, 3, 3, 2]); x.stop_gradient = False; "
     "w = paddle.arange(36.0).reshape([2, 2, 3, 3]); y = F.conv2d_transpose(x, w, padding=1, data_format='NHWC'); "
     "(y * paddle.arange(18.0).reshape([1, 3, 3, 2])).sum().backward(); got = float(x.grad[0, 0, 0, 0])", 436.0),
    ("| `amp.auto_cast`, `amp.decorate`", """
with paddle.amp.auto_cast(level='O1', dtype='bfloat16'):
    got = 'bfloat16' in str((paddle.ones([2, 2]) @ paddle.ones([2, 2])).dtype).lower()""", True),
    ("| the gradient of `diagonal_scatter`", """
y = paddle.ones([2])
y.stop_gradient = False
paddle.diagonal_scatter(paddle.zeros([2, 2]), y).sum().backward()
got = y.grad is not None and y.grad.tolist()""", [1.0, 1.0]),
    ("| `kl_divergence` of `Categorical`", """
one = paddle.distribution.Categorical(paddle.ones([3, 4]))
got = paddle.distribution.kl_divergence(one, one).shape""", [3]),
    ("| `metric.Auc('PR')`", """
area = paddle.metric.Auc("PR", num_thresholds=10)
area.update(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[0], [1]]))
area.update(np.array([[0.7, 0.3]]), np.array([[1]]))
got = round(area.accumulate(), 3)""", 0.792),
    ("| `geometric_` | real numbers", """
paddle.seed(1)
values = paddle.zeros([8]).geometric_(0.3).numpy()
got = bool((values == np.round(values)).all())""", True),
    ("| the gradient of `linalg.det` of a singular matrix", """
x = paddle.to_tensor([[1.0, 0.0], [0.0, 0.0]])
x.stop_gradient = False
paddle.linalg.det(x).sum().backward()
got = x.grad.tolist()""", [[0.0, 0.0], [0.0, 1.0]]),
    ("| a 0 on the diagonal of `linalg.triangular_solve`", """
try:
    paddle.linalg.triangular_solve(paddle.zeros([1, 1]), paddle.ones([1, 1]))
    got = 'infinities'
except ValueError:
    got = 'ValueError'""", "ValueError"),
    ("| `linalg.cov` of a single observation", """
try:
    got = str(paddle.linalg.cov(paddle.ones([1, 1])).tolist())
except ValueError:
    got = 'ValueError'""", "ValueError"),
    ("| `fft.fftfreq(dtype='float64')`",
     "got = str(paddle.fft.fftfreq(3, dtype='float64').dtype).split('.')[-1]", "float64"),
    ("| `fft.irfft`, `fft.hfft` of integers", "got = paddle.fft.irfft(paddle.to_tensor([1, 2, 3])).shape", [4]),
    ("| `vision.ops.nms(scores=..., top_k=k)`", """
boxes = paddle.to_tensor([[0., 0., 1., 1.], [5., 5., 6., 6.], [9., 9., 10., 10.]])
got = paddle.vision.ops.nms(boxes, 0.5, scores=paddle.to_tensor([.1, .9, .5]), top_k=2).tolist()""", [1, 2]),
    ("| `vision.ops.distribute_fpn_proposals`", """
got = len(paddle.vision.ops.distribute_fpn_proposals(paddle.to_tensor([[0., 0., 9., 9.]]), 2, 3, 2, 8))""", 3),
    ("| `DenseNet(with_pool=False", """
got = paddle.vision.models.SqueezeNet('1.0', num_classes=0)(paddle.ones([1, 3, 64, 64])).shape""", [1, 512, 1, 1]),
    ("| `audio.functional.get_window((\"taylor\"",
     "got = str(paddle.audio.functional.get_window(('taylor', 2, 30, True), 4).dtype).split('.')[-1]", "float64"),
    ("| `nn.quant.weight_dequantize`", """
from paddle.nn import quant
weight, scale = paddle.ones([64, 64], 'int8'), paddle.ones([64])
got = quant.weight_dequantize(weight, scale, out_dtype='float32').shape""", [64, 64]),
    ("| a tuple as an operator's only tensor", """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter('always')
    F.relu((paddle.ones([1]), paddle.ones([1])))
got = any('relu' in str(one.message) for one in told)""", True),
    ("| a number as `fill` of an array", """
from paddle.vision.transforms import functional as T
got = T.pad(np.zeros([1, 1, 3], 'uint8'), 1, fill=7)[0, 0].tolist()""", [7, 7, 7]),
    ("| `hflip` of an array of one channel", """
from paddle.vision.transforms import functional as T
got = T.hflip(np.zeros([2, 2, 1], 'uint8')).shape""", (2, 2, 1)),
    ("| `sparse.matmul`, `mv`", """
x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
got = paddle.sparse.matmul(x, paddle.ones([2, 1])).tolist()""", [[1.0], [2.0]]),
    ("| several entries of one place, not coalesced", """
x = paddle.sparse.sparse_coo_tensor([[0, 0]], [1.0, 2.0], [2])
got = x.to_dense().tolist()""", [3.0, 0.0]),
    ("| `sparse.sum(x, [0, 1])`", """
x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
got = paddle.sparse.sum(x).values().shape""", [1]),
    ("| indices outside of the shape", """
try:
    paddle.sparse.sparse_coo_tensor([[0], [5]], [1.0], [2, 2])
    got = 'accepted'
except ValueError:
    got = 'ValueError'""", "ValueError"),
    ("| `paddle.distributed.all_reduce` and other collectives in one process", """
x = paddle.ones([2])
paddle.distributed.all_reduce(x)
got = x.tolist()""", [1.0, 1.0]),
    ("| `paddle.Tensor(array, zero_copy=True)`", """
array = np.zeros([2], 'f4')
x = paddle.Tensor(array, zero_copy=True)
array[0] = 1
got = x.tolist()""", [0.0, 0.0]),
    ("| what `Model.fit` gives", """
model = paddle.Model(nn.Linear(1, 1))
model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), nn.MSELoss())
data = paddle.io.TensorDataset([paddle.ones([2, 1]), paddle.ones([2, 1])])
got = model.fit(data, epochs=1, verbose=0) is not None""", True),
    ("| `len()` of an IterableDataset's loader", """
class Stream(paddle.io.IterableDataset):
    def __iter__(self):
        return iter(range(3))
try:
    got = len(paddle.io.DataLoader(Stream(), batch_size=1))
except Exception as error:
    got = type(error).__name__""", "TypeError"),
    ("| bad arguments of data loading", """
try:
    paddle.io.DataLoader(paddle.io.TensorDataset([paddle.ones([2])]), batch_size=0)
    got = 'taken'
except Exception as error:
    got = type(error).__name__""", "ValueError"),
    ("| `jit.load` of a model with a bool among its results", """
import tempfile
path = tempfile.mkdtemp() + "/compared"
paddle.enable_static()
with paddle.static.program_guard(paddle.static.Program()):
    x = paddle.static.data("x", [2])
    paddle.static.save_inference_model(path, [x], [x + 1, (x > 0).all(), x * 2], paddle.static.Executor())
paddle.disable_static()
got = [str(y.dtype) for y in paddle.jit.load(path)(paddle.ones([2]))]""",
     ["paddle.float32", "paddle.bool", "paddle.float32"]),
    ("| names in a TranslatedLayer's `state_dict()`", """
import tempfile
path = tempfile.mkdtemp() + '/m'
paddle.jit.save(nn.Linear(2, 2), path, input_spec=[paddle.static.InputSpec([None, 2])])
got = sorted(paddle.jit.load(path).state_dict())""", ["bias", "weight"]),
    ("| `geometric.sample_neighbors`", """
row, colptr = paddle.to_tensor([1, 2]), paddle.to_tensor([0, 2, 2, 2])
got = sorted(paddle.geometric.sample_neighbors(row, colptr, paddle.to_tensor([0]))[0].tolist())""", [1, 2]),
    ("| `get_rng_state`", """
import pickle
paddle.seed(1)
paddle.rand([3])
kept = pickle.dumps(paddle.get_rng_state())
first = paddle.rand([1]).item()
paddle.seed(7)
paddle.rand([1])
state = pickle.loads(kept)
paddle.set_rng_state(state)
got = paddle.rand([1]).item() == first""", True),
    ("| `static.auc(curve=\"PR\")`", """
paddle.enable_static()
main = paddle.static.Program()
with paddle.static.program_guard(main):
    try:
        paddle.static.auc(paddle.static.data('p', [None, 2]), paddle.static.data('l', [None, 1], 'int64'), curve='PR')
        got = 'ROC'
    except NotImplementedError:
        got = 'NotImplementedError'
paddle.disable_static()""", "NotImplementedError"),
    ("| `x.view(dtype)` of a larger dtype", "got = paddle.zeros([4], 'float32').view('float64').shape", [2]),
    ("| `matmul` of integers that broadcasts",
     "got = paddle.matmul(paddle.ones([2, 1, 2, 3], 'int64'), paddle.ones([4, 3, 2], 'int64')).shape", [2, 4, 2, 2]),
    ("| `as_strided(x, shape, stride, offset)`", """
try:
    paddle.as_strided(paddle.zeros([2]), [9], [1])
    got = 'read'
except ValueError:
    got = 'ValueError'""", "ValueError"),
    ("| `EarlyStopping(patience=0)`", """
model = paddle.Model(nn.Linear(1, 1))
model.prepare(paddle.optimizer.SGD(0.01, parameters=model.parameters()), nn.MSELoss())
data = paddle.io.TensorDataset([paddle.ones([4, 1]), paddle.zeros([4, 1])])
seen = []
class Count(paddle.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        seen.append(epoch)
paddle.seed(3)
model.fit(data, data, epochs=3, verbose=0, callbacks=[paddle.callbacks.EarlyStopping('loss', verbose=0), Count()])
got = len(seen)""", 3),
    ("| `padding` of several numbers with a `padding_mode`",
     "got = nn.Conv2D(1, 1, 3, padding=[1, 1], padding_mode='reflect')(paddle.ones([1, 1, 4, 4])).shape", [1, 1, 4, 4]),
    ("| `bias_ih_attr=False` of LSTM",
     "got = nn.LSTM(2, 2, num_layers=2, bias_ih_attr=False)(paddle.ones([1, 2, 2]))[0].shape",
     [1, 2, 2]),
    ("| gradients of a recurrent layer in evaluation mode", """
layer = nn.GRU(2, 2)
layer.eval()
layer(paddle.ones([1, 2, 2]))[0].sum().backward()
got = layer.parameters()[0].grad is not None""",
     True),
    ("| `margin_cross_entropy`, `sparse_attention` on a CPU",
     "got = F.margin_cross_entropy(paddle.zeros([1, 3]), paddle.to_tensor([1])).shape", []),
    ("| the gradient of what was computed of a view of a parameter before", """
layer = nn.Linear(1, 1, weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(1.0)), bias_attr=False)
rule = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
view = layer.weight.reshape([1])
loss = (view * view).sum()
layer(paddle.ones([1, 1])).sum().backward()
rule.step()
rule.clear_grad()
loss.backward()
got = layer.weight.grad.item()""", 2.0),
    ("| `backward()` after a step, where the gradient needs", """
layer = nn.Linear(1, 1, bias_attr=False)
rule = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
loss = (layer.weight * layer.weight).sum()
loss.backward(retain_graph=True)
rule.step()
try:
    loss.backward()
    got = 'computed'
except RuntimeError:
    got = 'RuntimeError'""", "RuntimeError"),
    ("| `learning_rate` and `weight_decay` of a group", """
layer = nn.Linear(1, 1, weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(1.0)), bias_attr=False)
paddle.optimizer.SGD(1.0, parameters=[{'params': layer.parameters(), 'learning_rate': 0.1}])
rule = paddle.optimizer.SGD(1.0, parameters=layer.parameters())
layer(paddle.ones([1, 1])).sum().backward()
rule.step()
got = layer.weight.item()""", 0.0),
    ("| the gradient of an embedding with `sparse=True`", """
table = nn.Embedding(4, 2, sparse=True)
table(paddle.to_tensor([1])).sum().backward()
got = table.weight.grad.shape""", [4, 2]),
    ("| a PyLayer whose forward gives back a leaf", """
class Same(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, dy):
        return dy * 3
x = paddle.ones([2])
x.stop_gradient = False
Same.apply(x).sum().backward()
got = x.grad.tolist()""", [3.0, 3.0]),
    ("| gradients of tensors in a list that a PyLayer takes", """
class Sum(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, items):
        return items[0] + items[1]

    @staticmethod
    def backward(ctx, g):
        return g * 2, g * 3

x, y = paddle.ones([1]), paddle.ones([1])
x.stop_gradient = y.stop_gradient = False
Sum.apply([x, y]).backward()
got = [x.grad is not None and x.grad.tolist(), y.grad is not None and y.grad.tolist()]""", [[2.0], [3.0]]),
    ("| `recompute(layer, x)` where x wants no gradient", """
from paddle.distributed.fleet.utils import recompute
layer = nn.Linear(2, 2)
recompute(layer, paddle.ones([1, 2])).sum().backward()
got = layer.weight.grad is not None""", True),
    ("| a length beyond the input's steps", """
layer = nn.GRU(2, 2)
try:
    layer(paddle.ones([1, 2, 2]), sequence_length=paddle.to_tensor([9]))
    got = 'computed'
except ValueError:
    got = 'ValueError'""", "ValueError"),
    ("| complex `linalg.det`, `lu`", "got = paddle.linalg.det(paddle.to_tensor([[2 + 1j]])).tolist()", (2 + 1j)),
    ("| empty batches of matrices", "got = paddle.linalg.inv(paddle.zeros([0, 2, 2])).shape", [0, 2, 2]),
    ("| `vision.ops.psroi_pool` to one channel", """
boxes, counts = paddle.to_tensor([[0., 0., 3., 3.]]), paddle.to_tensor([1], dtype='int32')
got = paddle.vision.ops.psroi_pool(paddle.ones([1, 4, 4, 4]), boxes, counts, 2).shape""", [1, 1, 2, 2]),
    ("| dense operators, `numpy()`, `tolist()` of a sparse tensor", """
x = paddle.sparse.sparse_coo_tensor([[0]], [1.0], [2])
try:
    F.relu(x)
    got = 'something'
except TypeError:
    got = 'TypeError'""", "TypeError"),
    ("| `x + y`, `x @ y`, `x.T`", """
x = paddle.sparse.sparse_coo_tensor([[0]], [1.0], [2])
got = (x + x).to_dense().tolist()""", [2.0, 0.0]),
    ("| bytes as a Tensor in `resize`", """
from paddle.vision.transforms import functional as T
got = str(T.to_grayscale(paddle.full([3, 2, 2], 8, 'uint8')).dtype).split('.')[-1]""", "uint8"),
    ("| `RandomErasing` of a Pillow image of one channel", """
from PIL import Image
from paddle.vision import transforms
got = transforms.RandomErasing(prob=1.0)(Image.new('L', (8, 8))).size""", (8, 8)),
    ("| `ColumnParallelLinear` and other divided layers", """
from paddle.distributed.fleet.meta_parallel import ColumnParallelLinear
got = ColumnParallelLinear(2, 4, gather_output=True)(paddle.ones([1, 2])).shape""", [1, 4]),
    ("| the gradient of `gather` along another axis", """
x = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
(paddle.gather(x, paddle.to_tensor([1, 1]), axis=1) * paddle.to_tensor([[1., 2.], [3., 4.]])).sum().backward()
got = x.grad.tolist()""", [[0.0, 3.0], [0.0, 7.0]]),
    ("| `cross_entropy` with floats or bools as class numbers", """
try:
    F.cross_entropy(paddle.ones([1, 3]), paddle.to_tensor([1.5]))
    got = 'computed'
except ValueError:
    got = 'ValueError'""", "ValueError"),
    ("| the gradient of soft-label `cross_entropy`", """
x = paddle.to_tensor([[0., 0.]], stop_gradient=False)
F.cross_entropy(x, paddle.to_tensor([[2., 0.]]), soft_label=True).backward()
got = x.grad.tolist()""", [[-1.0, 1.0]]),
    ("| `clip` with a bound of several elements", """
got = paddle.clip(paddle.to_tensor([1., 2.]), paddle.to_tensor([2., 3.])).tolist()""", [2.0, 3.0]),
    ("| a NumPy array of uint16 as a tensor", """
try:
    got = str(paddle.to_tensor(np.array([1], 'uint16')).dtype)
except TypeError:
    got = 'TypeError'""", "TypeError"),
    ("| `recompute_sequential` with more segments", """
from paddle.incubate.distributed.fleet import recompute_sequential
try:
    recompute_sequential({'segments': 0}, nn.Sequential(nn.Linear(2, 2)), paddle.ones([1, 2]))
    got = 'computed'
except Exception as error:
    got = type(error).__name__""", "ValueError"),
    ("| `F.instance_norm`, channels last", """
x = paddle.to_tensor(np.arange(8., dtype='f4').reshape(1, 2, 2, 2) ** 2)
got = bool(np.allclose(F.instance_norm(x, data_format='NHWC').numpy().mean((1, 2)), 0, atol=1e-5))""", True),
    ("| gradients of `diag_embed`", """
x = paddle.to_tensor([5.5, 7.0], stop_gradient=False)
try:
    (x % paddle.to_tensor([2.0, 4.0])).sum().backward()
    got = x.grad.tolist()
except Exception as error:
    got = type(error).__name__""", [1.0, 1.0]),
    ("| the gradient of `gumbel_softmax`", """
paddle.seed(3)
x = paddle.to_tensor([[0.1, 0.2, 0.7]], stop_gradient=False)
y = F.gumbel_softmax(x, temperature=2.0)
(y * paddle.to_tensor([[1., 0., 0.]])).sum().backward()
p = y.numpy()[0]
got = bool(np.allclose(x.grad.numpy()[0], (np.array([1., 0., 0.]) - p[0]) * p / 2 * np.array([1, 1, 1]), atol=1e-3))""",
     True),
    ("| `trace` along an offset", """
x = paddle.arange(6, dtype='float32').reshape([2, 3])
got = paddle.trace(x, offset=1, axis1=1, axis2=0).item()""", 3.0),
    ("| `heaviside(x, y)` where x is broadcast",
     "got = paddle.heaviside(paddle.to_tensor([1., -1.]), paddle.ones([2, 2])).tolist()", [[1.0, 0.0], [1.0, 0.0]]),
    ("| the gradient of `cholesky_solve(upper=False)`", """
b = paddle.to_tensor([[1.], [2.]])
L = paddle.to_tensor([[2., 0.], [1., 3.]], stop_gradient=False)
paddle.linalg.cholesky_solve(b, L, upper=False).sum().backward()
def value(l):
    return float(paddle.linalg.cholesky_solve(b, paddle.to_tensor([[2., 0.], [l, 3.]]), upper=False).sum())
got = abs(float(L.grad[1, 0]) - (value(1.01) - value(0.99)) / 0.02) < 1e-3""", True),
    ("| `kl_divergence` of two `Geometric`", """
from paddle.distribution import Geometric, kl_divergence
p, q = 0.5, 0.25
expected = np.log(p / q) + (1 - p) / p * np.log((1 - p) / (1 - q))
found = kl_divergence(Geometric(paddle.to_tensor(p)), Geometric(paddle.to_tensor(q)))
got = bool(abs(float(found) - expected) < 1e-5)""",
     True),
    ("| the gradient of `Bernoulli.entropy`", """
p = paddle.to_tensor(0.3, stop_gradient=False)
paddle.distribution.Bernoulli(p).entropy().backward()
got = bool(abs(float(p.grad) - np.log(0.7 / 0.3)) < 1e-3)""", True),
    ("| gradients of `linalg.lstsq`", """
x = paddle.to_tensor([[1., 2.], [3., 5.], [1., 1.]], stop_gradient=False)
try:
    paddle.linalg.qr(x, mode='r').sum().backward()
    got = x.grad is not None
except Exception as error:
    got = type(error).__name__""", True),
    ("| the gradient of `linalg.pinv`", """
x = paddle.eye(2)
x.stop_gradient = False
paddle.linalg.pinv(x).sum().backward()
got = bool(np.isfinite(x.grad.numpy()).all())""", True),
    ("| windows of padding alone",
     "got = F.avg_pool2d(paddle.ones([1, 1, 2, 2]), 1, 1, [1, 1]).numpy()[0, 0, 0, 0].item()", 0.0),
    ("| `max_pool2d(padding=\"SAME\", return_mask=True)`",
     "got = F.max_pool2d(paddle.ones([1, 1, 4, 4]), 3, 1, 'SAME', return_mask=True)[0].shape", [1, 1, 4, 4]),
    ("| `avg_pool2d(divisor_override=…)`",
     "got = F.avg_pool2d(paddle.ones([1, 1, 2, 2]), 2, 2, 1, divisor_override=2).numpy()[0, 0, 0, 0].item()", 0.5),
    ("| `AffineTransform.forward_log_det_jacobian(x)`", """
affine = paddle.distribution.AffineTransform(paddle.to_tensor(0.0), paddle.to_tensor(2.0))
got = affine.forward_log_det_jacobian(paddle.ones([2, 3])).shape""", [2, 3]),
    ("| `static.create_global_var` without", """
paddle.enable_static()
with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    got = paddle.static.create_global_var([1], 1.0, 'float32').persistable
paddle.disable_static()""", True),
    ("| `vision.ops.yolo_loss` of a map", """
try:
    boxes, labels = paddle.zeros([1, 2, 4]), paddle.zeros([1, 2], 'int32')
    got = paddle.vision.ops.yolo_loss(paddle.zeros([1, 14, 2, 3]), boxes, labels,
                                      [10, 13, 16, 30], [0, 1], 2, 0.7, 32).shape
except Exception as error:
    got = type(error).__name__""", [1]),
    ("| `vision.ops.roi_align` of a region without area", """
boxes, counts = paddle.to_tensor([[1., 1., 1., 1.]]), paddle.to_tensor([1], dtype='int32')
got = paddle.vision.ops.roi_align(paddle.ones([1, 1, 4, 4]), boxes, counts, 1).tolist()""", [[[[0.0]]]]),
    ("| `rotate(expand=True)` of a Tensor", """
from paddle.vision.transforms import functional as T
got = T.rotate(paddle.ones([1, 4, 7]), 90, expand=True).shape""", [1, 7, 4]),
    ("| `is_valid_file` of `DatasetFolder`", """
import os, tempfile
root = tempfile.mkdtemp()
os.makedirs(root + '/a')
for name in ('one.txt', 'two.png'):
    open(f'{root}/a/{name}', 'w').close()
try:
    found = paddle.vision.datasets.DatasetFolder(root, is_valid_file=lambda path: path.endswith('.txt'))
    got = [os.path.basename(path) for path, _ in found.samples]
except Exception as error:
    got = type(error).__name__""", ['one.txt']),
    ("| `geometric_` | logarithms", """paddle.seed(0)
got = bool((paddle.zeros([50]).geometric_(0.3).numpy() % 1 == 0).all())""", True),
    ("| a pickle in `.pdparams` that asks for code", """
import pickle, tempfile, os, warnings
class Asks:
    def __reduce__(self):
        return (os.getcwd, ())
path = tempfile.mkdtemp() + '/x.pdparams'
with open(path, 'wb') as file:
    pickle.dump({'a': Asks()}, file, 2)
try:
    paddle.load(path)
    got = 'run'
except Exception:
    got = 'refused'""", "refused"),
    ("| the gradient of `put_along_axis(include_self=False)`", """
x, v = paddle.to_tensor([[3.0]]), paddle.to_tensor([[3.0]], stop_gradient=False)
paddle.put_along_axis(x, paddle.to_tensor([[0]]), v, 1, 'amax', include_self=False).backward()
got = v.grad.tolist()""", [[1.0]]),
    ("| weights behind the first step of an optimizer that `incubate.asp.decorate`", """
net = nn.Linear(8, 4)
sgd = paddle.incubate.asp.decorate(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
masks = paddle.incubate.asp.prune_model(net)
sums = []
for _ in range(2):
    net(paddle.ones([1, 8])).sum().backward()
    sgd.step()
    sgd.clear_grad()
    sums.append(float(net.weight.numpy().sum()))
got = round(sums[0] - sums[1], 3)""", 1.6),
    ("| the gradient of `ctc_loss` where a label is the blank class", """
scores = np.array([[[1.0, 0.0, -1.0]], [[0.5, 1.0, 0.0]], [[0.0, 0.0, 1.0]], [[2.0, -1.0, 0.0]]], 'float32')
def loss(scores):
    four, two = paddle.to_tensor([4], 'int64'), paddle.to_tensor([2], 'int64')
    return F.ctc_loss(scores, paddle.to_tensor(np.array([[0, 1]], 'int32')), four, two, blank=0, reduction='sum')
x = paddle.to_tensor(scores, stop_gradient=False)
loss(x).backward()
higher, lower = scores.copy(), scores.copy()
higher[0, 0, 0] += 0.01
lower[0, 0, 0] -= 0.01
slope = (loss(paddle.to_tensor(higher)).item() - loss(paddle.to_tensor(lower)).item()) / 0.02
got = bool(abs(x.grad.numpy()[0, 0, 0] - slope) < 0.01)""", True),
    ("| `as_real` of a complex tensor that is a view", """
z = paddle.to_tensor(np.array([[0, 1], [2, 3]], 'complex64')).transpose([1, 0])
got = paddle.as_real(z)[:, :, 0].tolist()""", [[0.0, 2.0], [1.0, 3.0]]),
    ("| `Momentum` with a subclass of `L2Decay` that has a `__call__`", """
class Fivefold(paddle.regularizer.L2Decay):
    def __call__(self, parameter, gradient, block=None):
        return parameter * 5.0
w = paddle.create_parameter([1], 'float32', default_initializer=nn.initializer.Constant(1.0))
momentum = paddle.optimizer.Momentum(0.1, 0.9, parameters=[w], weight_decay=Fivefold(0.5))
w.sum().backward()
momentum.step()
got = round(w.item(), 3)""", 0.4),
    ("| branches of `static.nn.cond`, `case` and `switch_case` of several dtypes", """
paddle.enable_static()
program = paddle.static.Program()
with paddle.static.program_guard(program):
    x = paddle.static.data('x', [1])
    found = paddle.static.nn.cond(x.sum() > 0, lambda: paddle.full([1], 1, 'int32'), lambda: paddle.full([1], 0.5))
values = [paddle.static.Executor().run(program, {'x': np.array([n], 'float32')}, [found])[0] for n in (1, -1)]
paddle.disable_static()
got = str(found.dtype).split('.')[-1], [str(v.dtype) for v in values], [v.tolist() for v in values]""",
     ("float32", ["float32", "float32"], [[1.0], [0.5]])),
    ("| the gradient of `gumbel_softmax(hard=True)`", """
x = paddle.to_tensor([0.1, 0.7, 0.3], stop_gradient=False)
F.gumbel_softmax(x, hard=True)[0].backward()
got = bool((x.grad != 0.0).all())""", True),
    ("| the gradient of `triangular_solve` for the matrix, where", """
factor = paddle.to_tensor([[2.0, 0.0], [1.0, 4.0]], stop_gradient=False)
paddle.linalg.triangular_solve(factor, paddle.to_tensor([[2.0], [5.0]]), upper=False).sum().backward()
got = factor.grad.tolist()""", [[-0.375, 0.0], [-0.25, -0.25]]),
]
