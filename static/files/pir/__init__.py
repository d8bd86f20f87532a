"""PaddlePaddle 3's `.json` Programs (PIR): read, checked, translated into the operators of `.pdmodel` files."""
