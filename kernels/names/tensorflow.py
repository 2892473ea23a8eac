"""TensorFlow's functions under NumPy's names."""

import tensorflow as tf

exp = tf.exp
sin = tf.sin
sort = tf.sort
stack = tf.stack
tanh = tf.tanh
where = tf.where
