"""Training a deep, narrow network of Dense and Dropout layers with fit(): Keras 2 against Keras 3 on TensorFlow.

Issue:    https://github.com/keras-team/keras/issues/19953
Versions: tensorflow 2.15.1 (Keras 2.15) -> 2.16.2 (Keras 3)
Reported: clearly slower in every epoch
Old:      tensorflow-cpu==2.15.1 numpy==1.26.4
New:      tensorflow-cpu==2.16.2 numpy==1.26.4
Kind:     steady,first
Kernels:  mlp_training_step
Minutes:  8
"""

import tensorflow as tf

sizes = (5_000,)


def inputs(rng, size):
    tf.keras.utils.set_random_seed(1)
    layers = []
    for _ in range(10):
        layers += [tf.keras.layers.Dense(64, activation="relu"), tf.keras.layers.Dropout(0.1)]
    model = tf.keras.Sequential(layers + [tf.keras.layers.Dense(1, activation="sigmoid")])
    model.compile(
        optimizer=tf.keras.optimizers.Adam(1e-3),
        loss="binary_crossentropy",
        metrics=[tf.keras.metrics.AUC(name="auc")],
        jit_compile=False,
    )
    return model, rng.standard_normal((size, 4)), rng.integers(0, 2, size).astype(float)


def bench_fit(model, x, y):
    model.fit(x, y, batch_size=50, epochs=1, verbose=0)
