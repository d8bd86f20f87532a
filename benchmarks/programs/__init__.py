"""Small programs as research code has them, converted as a whole: what their first training steps cost.

Each module's `build(paddle)` gives `step(size)`: one training step (forward, backward, update) on data of that size, as
a number; `SIZES` are the sizes of the steps that are timed one after the other. The converted function is named once,
and the optimizer stays eager, as in the guides.
"""

PROGRAMS = {
    "mlp": "MLP with control flow on its values",
    "vae": "variational autoencoder",
    "resnet": "small ResNet",
    "seq2seq": "LSTM encoder and decoder with attention",
    "transformer": "Transformer, encoder and decoder",
    "cache": "Transformer decoder, generating with a growing cache",
    "gan": "GAN, both networks",
    "pinn": "PINN, second derivatives",
}
