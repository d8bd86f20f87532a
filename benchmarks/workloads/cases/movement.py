"""Operators that change type, shape or place."""

from .case import apart, both

CASES = {
    "astype": apart(lambda f, F, v: v.x.astype("float64"), lambda f, F, v: v.x.to(f.float64)),
    "to_tensor": apart(lambda f, F, v: f.to_tensor(v.array), lambda f, F, v: f.tensor(v.array)),
    "numpy": both(lambda f, F, v: v.x.numpy()),
    "clone": both(lambda f, F, v: v.x.clone()),
    "reshape": both(lambda f, F, v: v.x.reshape([-1])),
    "flatten": both(lambda f, F, v: v.image.flatten(1)),
    "transpose": apart(lambda f, F, v: v.image.transpose([0, 2, 3, 1]), lambda f, F, v: v.image.permute(0, 2, 3, 1)),
    "T": both(lambda f, F, v: v.x.T),
    "squeeze": both(lambda f, F, v: v.image.squeeze()),
    "unsqueeze": both(lambda f, F, v: v.x.unsqueeze(0)),
    "concat": apart(lambda f, F, v: f.concat([v.x, v.y]), lambda f, F, v: f.cat([v.x, v.y])),
    "stack": both(lambda f, F, v: f.stack([v.x, v.y])),
    "split": apart(lambda f, F, v: f.split(v.x, 2), lambda f, F, v: f.split(v.x, v.side // 2)),
    "unbind": both(lambda f, F, v: f.unbind(v.stack)),
    "broadcast_to": both(lambda f, F, v: f.broadcast_to(v.row, [v.side, v.side])),
    "tile": both(lambda f, F, v: f.tile(v.row, [4, 1])),
    "slice": both(lambda f, F, v: v.x[1:-1, ::2]),
    "index": both(lambda f, F, v: v.x[v.rows]),
    "mask": both(lambda f, F, v: v.x[v.true]),
    "index_select": apart(lambda f, F, v: f.index_select(v.x, v.rows, 0),
                          lambda f, F, v: f.index_select(v.x, 0, v.rows)),
    "pad": both(lambda f, F, v: F.pad(v.image, [1, 1, 1, 1])),
    "roll": both(lambda f, F, v: f.roll(v.x, 3)),
    "diag": both(lambda f, F, v: f.diag(v.row)),
    "meshgrid": apart(lambda f, F, v: f.meshgrid(v.row, v.row),
                      lambda f, F, v: f.meshgrid(v.row, v.row, indexing="ij")),
}
