"""A Program by hand."""
import tempfile

import numpy as np
import proa as paddle
from proa import static

paddle.enable_static()
main, startup = static.Program(), static.Program()
with static.program_guard(main, startup):
    x = static.data("x", [None, 4], "float32")
    label = static.data("label", shape=[None, 1], dtype="int64")
    h = static.nn.fc(x, 8, activation="relu")
    logits = static.nn.fc(h, 3)
    loss = paddle.mean(paddle.nn.functional.cross_entropy(logits, label))
    prob = paddle.nn.functional.softmax(logits)
    acc = static.accuracy(prob, label, k=1)
    test = main.clone(for_test=True)
    opt = paddle.optimizer.Adam(learning_rate=0.01)
    opt.minimize(loss)

    def goes_on(i: static.Variable, total: static.Variable) -> static.Variable:
        return i < n

    def body(i: static.Variable, total: static.Variable) -> list[static.Variable]:
        return [i + 1, total + i]

    i = paddle.zeros([1], "int64")
    n = paddle.full([1], 5, "int64")
    _, total = static.nn.while_loop(goes_on, body, [i, paddle.zeros([1], "int64")])

exe = static.Executor(paddle.CPUPlace())
exe.run(startup)
feed = {"x": np.random.rand(6, 4).astype("float32"), "label": np.random.randint(0, 3, (6, 1)).astype("int64")}
for _ in range(3):
    value, a = exe.run(main, feed=feed, fetch_list=[loss, acc])
    print(float(value), a.shape)
(p,) = exe.run(test, feed=feed, fetch_list=[prob])
print(p.sum(axis=1), exe.run(main, feed=feed, fetch_list=[total])[0])
prefix = tempfile.mkdtemp() + "/m"
static.save_inference_model(prefix, [x], [prob], exe, program=test)
program, feeds, fetches = static.load_inference_model(prefix, exe)
print(feeds, len(fetches), exe.run(program, feed={feeds[0]: feed["x"]}, fetch_list=fetches)[0].shape)
for block in main.blocks:
    for op in block.ops:
        print(op.type, op.input_arg_names[:1], end="; ")
print([v.name for v in main.list_vars() if v.persistable][:2], [p.shape for p in main.all_parameters()])
static.save(main, prefix)
static.load(main, prefix, exe)
paddle.disable_static()
