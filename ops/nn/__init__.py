"""Neural networks: activations, convolution, pooling, normalization, attention, recurrent layers."""
