// SPDX-License-Identifier: MIT
// Numbers as decimal digits, by integer arithmetic alone.
#ifndef VKS_VIEW_DECIMAL_GLSL
#define VKS_VIEW_DECIMAL_GLSL

// digits * 10^last
struct decimal {
    uint digits;
    int last;
};

// The decimal number of `count` significant digits, 1 to 7, that is nearest to a value from 2^-60
// up; of two, the even one. The value is a fixed-point number of seven words, three of which are
// its fraction: multiplied or divided by ten until its integer part has that many digits.
decimal decimal_of(float value, uint count)
{
    uint bits = min(floatBitsToUint(value), 0x7f7fffffu);
    uint place = (bits >> 23) - 54u; // of the lowest bit: 2^-96 is 0
    uint mantissa = (bits & 0x7fffffu) | 0x800000u;
    uint words[8] = uint[8](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
    uint shift = place & 31u;
    words[place >> 5] = mantissa << shift;
    words[(place >> 5) + 1u] = shift == 0u ? 0u : mantissa >> (32u - shift);
    uint limit = 1u;
    for (uint i = 0u; i < count; i++) {
        limit *= 10u;
    }
    int last = 0;
    bool dropped = false; // a remainder
    while ((words[4] | words[5] | words[6]) == 0u && words[3] < limit / 10u) {
        uint carry = 0u;
        for (uint i = 0u; i < 7u; i++) {
            uint high, low;
            umulExtended(words[i], 10u, high, low);
            words[i] = low + carry;
            carry = high + (words[i] < low ? 1u : 0u);
        }
        last--;
    }
    while ((words[4] | words[5] | words[6]) != 0u || words[3] >= limit) {
        uint rest = 0u;
        for (uint i = 7u; i > 0u; i--) {
            uint upper = (rest << 16) | (words[i - 1u] >> 16);
            uint lower = ((upper % 10u) << 16) | (words[i - 1u] & 0xffffu);
            words[i - 1u] = ((upper / 10u) << 16) | (lower / 10u);
            rest = lower % 10u;
        }
        dropped = dropped || rest != 0u;
        last++;
    }
    uint digits = words[3];
    bool more = dropped || (words[0] | words[1]) != 0u;
    bool up = words[2] > 0x80000000u ||
              (words[2] == 0x80000000u && (more || (digits & 1u) == 1u));
    digits += up ? 1u : 0u;
    return digits == limit ? decimal(digits / 10u, last + 1) : decimal(digits, last);
}
#endif
