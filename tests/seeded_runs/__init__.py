"""Ten training scripts in which nothing but the seed is given: the losses are PaddlePaddle 2.6.2's, step by step.

Each module's `train(paddle, steps)` seeds everything as scripts do, builds its networks with their default
initializers, trains them, and gives the losses in their order. No weights are copied across, so that initial weights,
dropout, noise, sampled actions and shuffled data must all be the numbers that PaddlePaddle draws.
"""

RUNS = {
    "digits": "LeNet on pictures of digits, shuffled by a DataLoader, Adam",
    "residual": "a residual network on augmented pictures, Momentum with weight decay, cosine schedule",
    "words": "an LSTM language model with dropout, clipped by global norm",
    "translator": "a Transformer, encoder and decoder, AdamW with warmup",
    "attention": "a GRU with attention writes sequences back, teacher forcing by chance",
    "gan": "a generator and a discriminator of convolutions, batch norms and dropout",
    "vae": "a variational autoencoder, converted by to_static",
    "diffusion": "a denoising network on noise of random strength, an average of the weights",
    "policy": "policy gradients: sampled actions in a game with a pole on a cart",
    "program": "a Program with dropout and weights of every initializer, by its random_seed",
}
