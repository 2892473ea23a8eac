"""Gradients in TensorFlow: a tape."""

import tensorflow as tf


def gradient(function, by, count):
    """Reverse mode, eager or traced."""

    def made(*arguments, **static):
        inputs, cotangents = arguments[:-count], arguments[-count:]
        sources = [inputs[place] for place in by]
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(sources)
            outputs = function(*inputs, **static)
        outputs = list(outputs) if count > 1 else [outputs]
        found = tape.gradient(outputs, sources, output_gradients=list(cotangents))
        return tuple(found) if len(by) > 1 else found[0]

    return made
