"""Calling a small Keras model eagerly, one row at a time: what the framework itself costs.

Issue:    https://github.com/keras-team/keras/issues/23271 and 18648 (Keras 3 slower than Keras 2)
Versions: tensorflow 2.15.1 (Keras 2.15) -> 2.16.2 (Keras 3)
Reported: 1.2x to 1.6x
Old:      tensorflow-cpu==2.15.1 numpy==1.26.4
New:      tensorflow-cpu==2.16.2 numpy==1.26.4
Kind:     steady
"""

import tensorflow as tf

sizes = (1,)


def inputs(rng, size):
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential(
        [tf.keras.Input((8,))] + [tf.keras.layers.Dense(8, activation="tanh") for _ in range(6)]
    )
    row = tf.constant(rng.standard_normal((size, 8)), tf.float32)
    return model, row, tf.function(model)


def bench_call(model, row, compiled):
    return model(row, training=False)


def bench_predict(model, row, compiled):
    return model.predict(row, verbose=0)


def bench_function(model, row, compiled):
    return compiled(row)
