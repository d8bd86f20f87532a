"""Activations as numbers, which scripts of OneFlow 0.1 hand around; nothing here takes them."""

kNone, kTanH, kSigmoid, kRelu = range(4)
