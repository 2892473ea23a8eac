"""Fourier transforms, as most libraries write them."""


def fft(x):
    """Return all coefficients of a real vector."""
    return xp.fft.fft(x)


def rfft(x):
    """Half of the coefficients: the others are their conjugates."""
    return xp.fft.rfft(x)


def fft2(x):
    """Over both axes."""
    return xp.fft.fft2(x)


def fft3(x):
    """Over all three axes."""
    return xp.fft.fftn(x)
