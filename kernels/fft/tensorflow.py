"""Fourier transforms in TensorFlow."""

import tensorflow as tf


def as_complex(x):
    """Transform; all of TensorFlow's transforms but `tf.signal.rfft` and its relatives take complex input only."""
    return tf.cast(x, tf.complex128 if x.dtype == tf.float64 else tf.complex64)


def fft(x):
    """Return all coefficients of a real vector."""
    return tf.signal.fft(as_complex(x))


def rfft(x):
    """Half of the coefficients."""
    return tf.signal.rfft(x)


def fft2(x):
    """Over both axes."""
    return tf.signal.fft2d(as_complex(x))


def fft3(x):
    """Over all three axes."""
    return tf.signal.fft3d(as_complex(x))
