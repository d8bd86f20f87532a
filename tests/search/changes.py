"""What a program does to its Layer between the steps of a training: `between(net, step)`."""

from __future__ import annotations

from .network import Network

FIXED = '''def fixed(layer):
    for p in layer.parameters():
        p.set_value((paddle.cos(paddle.arange(p.size).astype(p.dtype)) * 0.4).reshape(p.shape))
    return layer
'''

CHANGES = [
    "for p in net.parameters():\n    p.set_value(p * 0.9)",
    "for p in net.parameters():\n    with paddle.no_grad():\n        p.scale_(0.9)",
    "net.set_state_dict({name: value * 0.9 for name, value in net.state_dict().items()})",
    "net.gain.stop_gradient = not net.gain.stop_gradient",
    "net.gain.trainable = False",
    "net.gain.set_value(paddle.ones_like(net.gain) * 0.7)",
    "with paddle.no_grad():\n    net.gain.fill_(0.8)",
    "with paddle.no_grad():\n    net.gain[0] = 0.5",
    "with paddle.no_grad():\n    paddle.assign(net.gain * 0.5, net.gain)",
    "net.gain = net.create_parameter(net.gain.shape, default_initializer=nn.initializer.Constant(0.6))",
    "net.flag = not net.flag",
    "net.turns = 3 - net.turns",
    "for b in net.buffers():\n    b.set_value(b * 0.5 + 0.1)",
    "for name, b in list(net.named_buffers(include_sublayers=False)):\n    setattr(net, name, b.detach() * 0.5)",
    "net.apply(lambda layer: layer.weight.set_value(layer.weight * 0.9) if type(layer) is nn.Linear else None)",
    "for name, layer in list(net.named_children()):\n    if type(layer) is nn.Linear:\n"
    "        setattr(net, name, fixed(nn.Linear(*layer.weight.shape)))",
    "for name, layer in list(net.named_children()):\n    if type(layer) is nn.Tanh:\n"
    "        setattr(net, name, nn.ReLU())",
    "for layer in net.children():\n    if type(layer) in (nn.Linear, nn.Tanh, nn.LayerNorm):\n"
    "        layer.register_forward_post_hook(lambda layer, given, found: found * 0.5)",
    "net.register_forward_pre_hook(lambda layer, given: None)",
    "for layer in net.sublayers():\n    if type(layer) is nn.LayerList and len(layer):\n"
    "        layer[0] = fixed(nn.Linear(*layer[0].weight.shape))",
    "for layer in net.sublayers():\n    if type(layer) is nn.Linear and layer.bias is not None:\n"
    "        layer.bias = None",
    "net.to(dtype=str(net.gain.numpy().dtype))",
    "nn.utils.vector_to_parameters(nn.utils.parameters_to_vector(net.parameters()) * 0.9, net.parameters())",
    "net.gain.register_hook(lambda g: g * 0.5)",
]


def between(network: Network) -> str:
    """The function; an empty text for most programs."""
    rng = network.rng
    if not network.allows("between") or rng.random() > 0.2:
        return ""
    lines = ["def between(net, step):", f"    if step {rng.choice(['== 0', '== 1', '< 2'])}:"]
    for text in rng.sample(CHANGES, rng.randint(1, 2)):
        lines += ["        " + line for line in text.split("\n")]
    text = "\n".join(lines)
    return FIXED + "\n\n" + text if "fixed(" in text else text
