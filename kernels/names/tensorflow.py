"""TensorFlow's functions under NumPy's names."""

import tensorflow as tf

argmax = tf.argmax
cumsum = tf.cumsum
exp = tf.exp
sin = tf.sin
sort = tf.sort
stack = tf.stack
sum = tf.reduce_sum
tanh = tf.tanh
where = tf.where
linalg = tf.linalg
