"""Losses, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HSigmoidLoss
    HingeEmbeddingLoss KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss
    PoissonNLLLoss RNNTLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss
""")
