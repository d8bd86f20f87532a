"""Graphs: messages along edges, segments, sampling of neighbours."""
