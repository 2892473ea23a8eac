"""The precisions that a kernel can be measured in."""

#: Name -> bytes of one number.
ITEMSIZE = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "int64": 8,
    "int32": 4,
    "int8": 1,
    "uint8": 1,
    "bool": 1,
}

#: Error above which a result is wrong rather than imprecise, where a kernel says nothing else. float32 admits the
#: rounding of a long sum, and refuses TF32 (10 bits of mantissa, about 1e-3). Whole numbers have one right result.
TOLERANCE = {
    "float64": 1e-10,
    "float32": 1e-4,
    "float16": 1e-2,
    "bfloat16": 5e-2,
    "int64": 0.0,
    "int32": 0.0,
    "int8": 0.0,
    "uint8": 0.0,
    "bool": 0.0,
}

#: The complex numbers made of two of a precision.
COMPLEX = {"float64": "complex128", "float32": "complex64"}

WHOLE = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")
FLOATING = ("float64", "float32", "float16", "bfloat16")


def accepted(kind: str, dtype: str) -> tuple[str, ...]:
    """Return the dtypes that a result of a kind may have when the inputs are ``dtype``.

    Libraries count and index in integers of their own (TensorFlow in 32 bits), and some count in floats.
    """
    return {
        "number": (dtype,),
        "complex": (COMPLEX.get(dtype, dtype),),
        "index": WHOLE,
        "count": WHOLE + FLOATING,
    }.get(kind, (kind,))
