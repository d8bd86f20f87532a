"""Samples in text files, a line each, in the MultiSlot format: for every slot how many values it has, and these."""
