"""The layers, one file a family: thin holders of parameters over `nn.functional`."""
