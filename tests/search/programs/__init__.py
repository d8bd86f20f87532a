"""Programs that are built by hand, and what is done to them: clones, gradients, files, parts, averages.

`writing` makes them, `running` compares what they tell, here in several ways and in PaddlePaddle.
"""
