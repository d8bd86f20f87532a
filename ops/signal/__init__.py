"""Signals: Fourier transforms, frames, spectra over time."""
