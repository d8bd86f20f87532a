"""Layers and functions of `nn` and its neighbours, each called once.

What they give, of whatever shape, becomes a number that every element of it moves in its own way.
"""

from __future__ import annotations

from ..body import Body, Value
from .registry import Found, production

WEIGHED = '''def weighed(t):
    t = t.flatten()
    return (t * paddle.cos(paddle.arange(t.shape[0]).astype(t.dtype))).mean()
'''

#: Layers whose result has the shape of the value {0}.
SAME = """
Hardswish() Hardsigmoid() Hardtanh(-0.5,0.7) Hardshrink(0.3) Softshrink(0.3) ReLU6() LeakyReLU(0.2) ELU(0.7)
CELU(1.3) SELU() Silu() Swish() Mish() Softplus(2,1) Softsign() Tanhshrink() ThresholdedReLU(0.3) LogSigmoid()
Sigmoid() Identity() GELU(approximate=True) Softmax() LogSoftmax() AlphaDropout(0.0)
""".split()

#: Text that names `L(…)` a sublayer; {n} is the last size, {c} the one before, {0} the value, {1} one of its shape.
ROWS = """
L(Bilinear({n}, {n}, 3))({0}, {1})
L(CosineSimilarity(axis=1))({0}, {1})
L(PairwiseDistance(1.5, keepdim=True))({0}, {1} + 3.0)
L(CrossEntropyLoss())({0}, {label})
L(CrossEntropyLoss(reduction='none'))({0}, {label}.unsqueeze(-1))
L(CrossEntropyLoss(soft_label=True, axis=-1))({0}, F.softmax({1}).detach())
L(CrossEntropyLoss(weight=paddle.linspace(0.5, 1.5, {n})))({0}, {label})
L(CrossEntropyLoss(ignore_index=0, reduction='sum'))({0}, {label}) * 0.1
L(CrossEntropyLoss(label_smoothing=0.1))({0}, {label})
L(CrossEntropyLoss(use_softmax=False))(F.softmax({0}), {label})
L(NLLLoss())(F.log_softmax({0}), {label})
L(KLDivLoss('batchmean'))(F.log_softmax({0}), F.softmax({1}))
L(BCELoss())(F.sigmoid({0}), F.sigmoid({1}).detach())
L(BCEWithLogitsLoss(pos_weight=paddle.full([{n}], 1.5)))({0}, F.sigmoid({1}).detach())
L(MarginRankingLoss(0.2))({0}, {1}, paddle.sign({1} - 0.1).detach())
L(CosineEmbeddingLoss(margin=0.1))({0}, {1}, ({label} % 2 * 2 - 1).astype({0}.dtype))
L(TripletMarginLoss(reduction='none'))({0}, {1}, {0}.flip(-1))
L(TripletMarginWithDistanceLoss())({0}, {1}, {0}.flip(-1))
L(MultiLabelSoftMarginLoss())({0}, ({1} > 0).astype({0}.dtype))
L(HingeEmbeddingLoss(0.7))({0}, paddle.sign({1} - 0.1).detach())
L(SoftMarginLoss())({0}, paddle.sign({1} - 0.1).detach())
L(GaussianNLLLoss(full=True))({0}, {1}, F.softplus({1}) + 0.1)
L(PoissonNLLLoss())({0}, F.softplus({1}))
L(MultiMarginLoss(margin=0.5))({0}, {label})
L(L1Loss())({0}, {1})
L(SmoothL1Loss(delta=0.4))({0}, {1})
L(MSELoss('none'))({0}, {1})
L(HSigmoidLoss({n}, 5))({0}, {label})
L(GRUCell({n}, 3))({0})[1]
L(LSTMCell({n}, 3))({0})[1][1]
L(SimpleRNNCell({n}, 3, activation='relu'))({0})[0]
L(Linear({n}, 2, weight_attr=nn.initializer.Orthogonal(), bias_attr=nn.initializer.Constant(0.3)))({0})
L(Linear({n}, 2, weight_attr=paddle.ParamAttr(initializer=nn.initializer.KaimingNormal())))({0})
L(Embedding(5, 3, padding_idx=1))({label})
L(Embedding(5, 3, sparse=True))({label})
L(Unflatten(1, [1, {n}]))({0})
L(Flatten())({0}.unsqueeze(1))
L(BatchNorm({n}, act='relu'))({0})
L(BatchNorm1D({n}, momentum=0.3, use_global_stats=True))({0})
L(SyncBatchNorm({n}))({0})
L(LayerNorm({n}, weight_attr=False, bias_attr=False))({0})
L(SpectralNorm([{n}, 3], dim=1, power_iters=2))(paddle.tanh({0}[:1].T @ {1}[:1, :1].expand([1, 3])))
paddle.nn.functional.dice_loss(F.softmax({0}), {label}.unsqueeze(-1))
F.npair_loss({0}, {1}, {label})
F.square_error_cost({0}, {1})
F.sigmoid_focal_loss({0}, ({1} > 0).astype({0}.dtype))
F.cosine_similarity({0}, {1}, axis=0)
F.glu(paddle.concat([{0}, {1}], -1))
F.gumbel_softmax({0}, hard=True).detach() * 0.0
F.sequence_mask({label}, maxlen=4).astype({0}.dtype) * {0}.mean()
paddle.addmm({0}, {0}, paddle.tanh(L(Linear({n}, {n})).weight))
paddle.bmm({0}.unsqueeze(0), {1}.unsqueeze(0).transpose([0, 2, 1]))
paddle.cross({0}[:, :1].expand([-1, 3]), {1}[:, :1].expand([-1, 3]) * 2.0, axis=1)
paddle.dot({0}, {1})
paddle.multiplex([{0}, {1}], ({label} % 2).astype('int32').unsqueeze(-1))
paddle.index_sample({0}, {label}.unsqueeze(-1) % {n})
paddle.tensordot({0}, {1}, [[0], [0]])
paddle.broadcast_tensors([{0}, {1}.unsqueeze(1)])[1]
paddle.unique_consecutive(paddle.round({0}[0] * 2)).sum()
paddle.histogram({0}.detach(), 4, -2, 2).astype({0}.dtype)
paddle.crop({0}, [1, {n}], [0, 0])
paddle.strided_slice({0}, [0, 1], [0, 0], [100, {n}], [1, 2])
paddle.scatter_nd({label}.unsqueeze(-1), {0}, [5, {n}])
paddle.gather_nd({0}, paddle.stack([paddle.zeros_like({label}), {label} % {n}], -1))
paddle.meshgrid({0}[0], {1}[0])[0] * {0}.mean()
paddle.nn.utils.parameters_to_vector(L(Linear({n}, 2)).parameters()) * {0}.mean()
paddle.incubate.softmax_mask_fuse({0}[None, None], {1}[None, None])
paddle.incubate.segment_mean({0}, paddle.zeros_like({label}))
paddle.geometric.segment_max({0}, paddle.cumsum(paddle.ones_like({label})) - 1)
paddle.geometric.send_u_recv({0}, paddle.zeros_like({label}), paddle.cumsum(paddle.ones_like({label})) - 1, 'mean')
paddle.geometric.send_ue_recv({0}, {1}, paddle.zeros_like({label}), paddle.zeros_like({label}), 'mul', 'sum')
paddle.geometric.send_uv({0}, {1}, paddle.zeros_like({label}), paddle.cumsum(paddle.ones_like({label})) - 1, 'add')
paddle.signal.frame({0}, 2, 1)
paddle.abs(paddle.signal.stft(F.pad({0}, [0, 0, 0, 8]), 4, 2, center=False) + 2.0)
paddle.incubate.autograd.vjp(paddle.tanh, {0}.detach())[1] * {0}
paddle.linalg.lu({0}[:1].T @ {1}[:1] + paddle.eye({n}) * 4.0)[0]
paddle.linalg.lstsq(paddle.eye({n}) * 2.0, {0}.T)[0]
""".strip().splitlines()

SEQUENCES = """
L(BiRNN(nn.GRUCell({n}, 2), nn.GRUCell({n}, 2)))({0})[0]
L(RNN(nn.LSTMCell({n}, 2), time_major=True))({0})[0]
L(GRU({n}, 2, 2, dropout=0.0, direction='bidirect'))({0})[1]
L(SimpleRNN({n}, 2, activation='relu', time_major=True))({0})[0]
L(AvgPool1D(2, 1, 1, exclusive=False))({0})
L(MaxPool1D(2, 1, 1, return_mask=True))({0})[0]
L(AdaptiveMaxPool1D(2))({0})
L(AdaptiveAvgPool1D(1))({0})
L(Conv1D({c}, 4, 3, padding='same', dilation=2))({0})
L(Conv1D({c}, {c}, 3, padding=1, padding_mode='circular', groups={c}))({0})
L(Conv1D({n}, 2, 1, data_format='NLC'))({0})
L(Conv1DTranspose({c}, 2, 3, stride=2, output_padding=1))({0})
L(Pad1D([1, 2], mode='reflect'))(F.pad({0}, [0, 3], data_format='NCL'))
L(Pad1D([1, 2], mode='circular'))({0})
L(Pad1D(1, mode='replicate'))({0})
L(Upsample(scale_factor=2, mode='linear', data_format='NCW'))({0})
L(TransformerDecoderLayer({n}, 1, 4, dropout=0.0))({0}, {1})
L(TransformerDecoder(nn.TransformerDecoderLayer({n}, 1, 4, dropout=0.0), 2, nn.LayerNorm({n})))({0}, {1})
L(TransformerEncoder(nn.TransformerEncoderLayer({n}, 1, 4, dropout=0.0, normalize_before=True), 2))({0})
L(Transformer({n}, 1, 1, 1, 4, dropout=0.0))({0}, {1})
L(MultiHeadAttention({n}, 1, kdim={n}, vdim={n}, need_weights=True))({0}, {1}, {1})[1]
L(LocalResponseNorm(3))({0})
L(GroupNorm({c}, {c}))({0})
L(InstanceNorm1D({c}, weight_attr=False, bias_attr=False))({0})
L(BatchNorm1D({c}, data_format='NCL'))({0})
L(BatchNorm1D({n}, data_format='NLC'))({0})
L(LayerNorm([{c}, {n}]))({0})
L(PReLU({c}, 0.3))({0})
L(CrossEntropyLoss(axis=1))({0}, {1}.argmax(1))
L(CrossEntropyLoss(soft_label=True, axis=1))({0}, F.softmax({1}, 1).detach())
L(MaxUnPool1D(2))(*L(MaxPool1D(2, return_mask=True))(paddle.concat([{0}, {1}], -1)))
L(CTCLoss())(F.log_softmax({0}.transpose([1, 0, 2])), {ones}.unsqueeze(1).astype('int32'), {ones} * {c}, {ones})
F.temporal_shift({0}.unsqueeze(-1).expand([-1, -1, -1, 2]), 1, 0.25)
paddle.bmm({0}, {1}.transpose([0, 2, 1]))
F.conv1d({0}, {0}[0].unsqueeze(0), padding=1)
F.alpha_dropout({0}, 0.5, training=False)
paddle.signal.overlap_add({0}, 1)
L(Softmax(axis=1))({0})
paddle.geometric.segment_sum({0}, paddle.zeros([{0}.shape[0]], 'int64'))
L(Bilinear({n}, {n}, 2))({0}[:, 0], {1}[:, -1])
""".strip().splitlines()

IMAGES = """
L(AvgPool2D(2, 1, padding=1, ceil_mode=True))({0})
L(MaxPool2D(2, 1, padding=1, return_mask=True))({0})[0]
L(AdaptiveMaxPool2D([2, 1]))({0})
L(AdaptiveAvgPool2D((None, 2)))({0})
L(MaxUnPool2D(2, 2))(*L(MaxPool2D(2, 2, return_mask=True))(F.pad({0}, [0, 2, 0, 2])))
L(Conv2D({c}, 4, 3, padding='SAME', stride=2, bias_attr=False))({0})
L(Conv2D({c}, {c}, (1, 3), padding=[0, 1], groups={c}, padding_mode='replicate'))({0})
L(Conv2D({n}, 2, 2, data_format='NHWC'))({0})
L(Conv2DTranspose({c}, 2, 3, stride=2, padding=1, output_padding=1))({0})
L(Conv2DTranspose({c}, {c}, 2, groups={c}, dilation=2, stride=2))({0}, output_size=[8, 10])
L(Conv3D(1, 2, 2, padding=1))({0}.unsqueeze(1))
L(Conv3DTranspose(1, 2, 2))({0}.unsqueeze(1))
L(AvgPool3D(2, 1, 1))({0}.unsqueeze(1))
L(MaxPool3D(2, 1, 1))({0}.unsqueeze(1))
L(AdaptiveAvgPool3D(2))({0}.unsqueeze(1))
L(AdaptiveMaxPool3D(2))({0}.unsqueeze(1))
L(BatchNorm3D(1))({0}.unsqueeze(1))
L(InstanceNorm3D(1))({0}.unsqueeze(1))
L(InstanceNorm2D({c}))({0})
L(BatchNorm2D({n}, data_format='NHWC'))({0})
L(GroupNorm(1, {n}, data_format='NHWC'))({0})
L(LocalResponseNorm(3))({0})
L(PixelShuffle(2))(paddle.concat([{0}, {1}] * 4, 1)[:, :4])
L(PixelUnshuffle(2))(F.pad({0}, [0, 4, 0, 4])[:, :, :2, :2])
L(ChannelShuffle(2))(paddle.concat([{0}, {1}], 1))
L(Pad2D([1, 0, 2, 1], mode='circular'))(F.pad({0}, [2, 2, 2, 2]))
L(ZeroPad2D(1))({0})
L(Pad3D(1, mode='replicate'))({0}.unsqueeze(1))
L(Unfold(2, paddings=1))({0})
L(UpsamplingBilinear2D(size=[5, 4]))({0})
L(UpsamplingNearest2D(scale_factor=2))({0})
L(Upsample(scale_factor=[2, 1.5], mode='bicubic'))({0})
L(Upsample(size=[3, 5], mode='bilinear', align_corners=True))({0})
L(Upsample(size=[3, 5], mode='area'))({0})
L(Softmax2D())({0})
L(Maxout(2))(paddle.concat([{0}, {1}], 1))
F.grid_sample({0}, F.affine_grid(paddle.tanh({1}[:, 0, :2, :1].expand([-1, 2, 3])), [{0}.shape[0], {c}, 2, 3]))
F.grid_sample({0}, paddle.tanh({1}[:, 0, :, :1]).unsqueeze(1).expand([-1, 3, -1, 2]), padding_mode='reflection')
F.conv2d({0}, {0}[:1], padding=1)
F.fold(F.unfold({0}, 2), [{h}, {n}], 2)
paddle.vision.ops.roi_align({0}, {boxes}, {ones}.astype('int32'), 2)
paddle.vision.ops.roi_pool({0}, {boxes}, {ones}.astype('int32'), 2)
L(DeformConv2D({c}, 2, 1))({0}, paddle.tanh({1}[:, :1].expand([-1, 2, -1, -1])) * 0.3)
F.interpolate({0}, scale_factor=0.5, mode='bilinear', align_mode=1)
F.affine_grid({0}[:, 0, :2, :1].expand([-1, 2, 3]), [{0}.shape[0], 1, 2, 2])
""".strip().splitlines()


def _called(body: Body, template: str, v: Value) -> str:
    """The text of a template, its sublayers made."""
    network = body.network
    others = [u for u in body.all("float") if u.shape == v.shape]
    names = {"n": v.shape[-1], "c": v.shape[1], "h": v.shape[-2],
             "label": f"({v.text}.detach().argmax(-1))", "ones": f"paddle.ones([{v.text}.shape[0]], 'int64')",
             "boxes": f"paddle.to_tensor([[0.0, 0.0, 1.5, 1.0]], {v.text}.dtype).expand([{v.text}.shape[0], 4])"}
    text = template.format(v.text, body.rng.choice(others).text, **names)
    while "L(" in text:
        before, _, rest = text.partition("L(")
        space = "paddle.vision.ops." if rest.startswith("Deform") else "nn."
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(rest[end], 0)
            end += 1
        made = rest[: end - 1]
        text = before + network.layer(made.partition("(")[0].lower(), space + made) + rest[end:]
    return text


@production(1, "modules")
def _modules(body: Body) -> Found | None:
    v = body.value("float", 1, 4)
    if v is None or not all(isinstance(size, int) for size in v.shape[1:]):
        return None
    if v.rank < 2 or body.chance(0.2):
        text = body.pick(*SAME).replace(",", ", ")
        return f"{body.network.layer(text.partition('(')[0].lower(), 'nn.' + text)}({v.text})", v.shape, "float"
    template = body.pick(*{2: ROWS, 3: SEQUENCES, 4: IMAGES}[v.rank])
    if v.shape[-1] < 2 or v.rank == 4 and min(v.shape[2:]) < 2:
        return None
    body.network.classes["weighed"] = WEIGHED
    return f"{v.text} + weighed({_called(body, template, v)}) * 0.3", v.shape, "float"
