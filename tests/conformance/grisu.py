"""The decimal digits that 7.2 prints for a double: Grisu2 (F. Loitsch, PLDI 2010).

They read back as the same double, and are the shortest such digits but for a few doubles in a
thousand: so this cannot be replaced by repr().
"""
import functools
import struct

_MASK = (1 << 64) - 1
_HIDDEN = 1 << 52
_FIRST_POWER, _STEP, _POWERS = -348, 8, 87


def _normalized(numerator, denominator):
    """The 64-bit significand and exponent nearest to a fraction."""
    shift = numerator.bit_length() - denominator.bit_length() - 64
    while True:
        if shift >= 0:
            scaled, divisor = numerator, denominator << shift
        else:
            scaled, divisor = numerator << -shift, denominator
        significand = (2 * scaled + divisor) // (2 * divisor)
        if significand >> 64:
            shift += 1
        elif not significand >> 63:
            shift -= 1
        else:
            return significand, shift


@functools.lru_cache(None)
def _power_of_ten(index):
    power = _FIRST_POWER + index * _STEP
    return _normalized(10 ** power, 1) if power >= 0 else _normalized(1, 10 ** -power)


def _cached_power(exponent):
    """A power of ten that brings `exponent` into [-60, -32], and which one it is."""
    index = int((-(exponent + _POWERS) * 0.30102999566398114 - _FIRST_POWER) / _STEP)
    while True:
        significand, own = _power_of_ten(index)
        current = exponent + own + 64
        if current < -60:
            index += 1
        elif current > -32:
            index -= 1
        else:
            return significand, own, _FIRST_POWER + index * _STEP


def _multiply(a, b):
    """The upper 64 bits of the product, its lowest partial sums rounded at bit 31."""
    low = (1 << 32) - 1
    ah_bl, al_bh = (a >> 32) * (b & low), (a & low) * (b >> 32)
    middle = (ah_bl & low) + (al_bh & low) + ((a & low) * (b & low) >> 32) + (1 << 31)
    return ((a >> 32) * (b >> 32) + (ah_bl >> 32) + (al_bh >> 32) + (middle >> 32)) & _MASK


def _round(digits, delta, rest, unit, distance):
    """Steps the last digit down while that comes nearer to the value."""
    while rest < distance and delta - rest >= unit and (
            rest + unit < distance or distance - rest > rest + unit - distance):
        digits[-1] -= 1
        rest += unit


def _generate(value, upper, lower, shift, power):
    digits, kappa = [], 10
    distance, delta, one = upper - value, upper - lower, 1 << shift
    whole, part = upper >> shift, upper & (one - 1)
    divisor = 10 ** 9
    while kappa > 0:
        digit, whole = divmod(whole, divisor)
        if digit or digits:
            digits.append(digit)
        kappa -= 1
        rest = (whole << shift) + part
        if rest <= delta:
            _round(digits, delta, rest, divisor << shift, distance)
            return digits, power + kappa
        divisor //= 10
    scale = 1
    while True:
        part, delta, scale = part * 10, delta * 10, scale * 10
        kappa -= 1
        digit = part >> shift
        if digit or digits:
            digits.append(digit)
        part &= one - 1
        if part < delta:
            _round(digits, delta, part, one, distance * scale)
            return digits, power + kappa


def digits(value):
    """(digits as text, power of ten) of a finite double above zero."""
    bits, = struct.unpack("<Q", struct.pack("<d", value))
    biased, fraction = bits >> 52, bits & (_HIDDEN - 1)
    significand, exponent = (fraction + _HIDDEN, biased - 1075) if biased else (fraction, -1074)
    upper, upper_exponent = (significand << 1) + 1, exponent - 1
    lift = 64 - upper.bit_length()
    upper, upper_exponent = upper << lift, upper_exponent - lift
    below = 2 if significand == _HIDDEN else 1
    lower = ((significand << below) - 1) << (exponent - below - upper_exponent)
    cached, cached_exponent, power = _cached_power(upper_exponent)
    middle = significand << (exponent - upper_exponent)
    found, ten = _generate(_multiply(middle, cached), _multiply(upper, cached) - 1,
                           _multiply(lower, cached) + 1,
                           -(upper_exponent + cached_exponent + 64), -power)
    text = "".join(map(str, found))
    stripped = text.rstrip("0") or "0"
    return stripped, ten + len(text) - len(stripped)
