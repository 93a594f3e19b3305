#include "base/shortest_digits.hpp"

#include <array>
#include <bit>
#include <cstdint>

// Grisu2, after Florian Loitsch, "Printing Floating-Point Numbers Quickly and Accurately with
// Integers" (PLDI 2010): 64-bit integers only, a correct answer always, the shortest one in 99.8 %
// of cases. Not std::to_chars, which is always shortest: Redis 7.2 prints with Grisu2, and where
// the two differ in the last digits a client would see another score text.

namespace tern {
namespace {

/// significand × 2^exponent.
struct Float64 {
    std::uint64_t significand = 0;
    int exponent = 0;
};

constexpr int kFirstPower = -348;
constexpr int kPowerStep = 8;

/// 10^(kFirstPower + kPowerStep × index), rounded to the nearest 64-bit significand.
constexpr std::array<Float64, 87> kPowers = {{
    {0xfa8fd5a0081c0288, -1220}, {0xbaaee17fa23ebf76, -1193}, {0x8b16fb203055ac76, -1166},
    {0xcf42894a5dce35ea, -1140}, {0x9a6bb0aa55653b2d, -1113}, {0xe61acf033d1a45df, -1087},
    {0xab70fe17c79ac6ca, -1060}, {0xff77b1fcbebcdc4f, -1034}, {0xbe5691ef416bd60c, -1007},
    {0x8dd01fad907ffc3c, -980},  {0xd3515c2831559a83, -954},  {0x9d71ac8fada6c9b5, -927},
    {0xea9c227723ee8bcb, -901},  {0xaecc49914078536d, -874},  {0x823c12795db6ce57, -847},
    {0xc21094364dfb5637, -821},  {0x9096ea6f3848984f, -794},  {0xd77485cb25823ac7, -768},
    {0xa086cfcd97bf97f4, -741},  {0xef340a98172aace5, -715},  {0xb23867fb2a35b28e, -688},
    {0x84c8d4dfd2c63f3b, -661},  {0xc5dd44271ad3cdba, -635},  {0x936b9fcebb25c996, -608},
    {0xdbac6c247d62a584, -582},  {0xa3ab66580d5fdaf6, -555},  {0xf3e2f893dec3f126, -529},
    {0xb5b5ada8aaff80b8, -502},  {0x87625f056c7c4a8b, -475},  {0xc9bcff6034c13053, -449},
    {0x964e858c91ba2655, -422},  {0xdff9772470297ebd, -396},  {0xa6dfbd9fb8e5b88f, -369},
    {0xf8a95fcf88747d94, -343},  {0xb94470938fa89bcf, -316},  {0x8a08f0f8bf0f156b, -289},
    {0xcdb02555653131b6, -263},  {0x993fe2c6d07b7fac, -236},  {0xe45c10c42a2b3b06, -210},
    {0xaa242499697392d3, -183},  {0xfd87b5f28300ca0e, -157},  {0xbce5086492111aeb, -130},
    {0x8cbccc096f5088cc, -103},  {0xd1b71758e219652c, -77},   {0x9c40000000000000, -50},
    {0xe8d4a51000000000, -24},   {0xad78ebc5ac620000, 3},     {0x813f3978f8940984, 30},
    {0xc097ce7bc90715b3, 56},    {0x8f7e32ce7bea5c70, 83},    {0xd5d238a4abe98068, 109},
    {0x9f4f2726179a2245, 136},   {0xed63a231d4c4fb27, 162},   {0xb0de65388cc8ada8, 189},
    {0x83c7088e1aab65db, 216},   {0xc45d1df942711d9a, 242},   {0x924d692ca61be758, 269},
    {0xda01ee641a708dea, 295},   {0xa26da3999aef774a, 322},   {0xf209787bb47d6b85, 348},
    {0xb454e4a179dd1877, 375},   {0x865b86925b9bc5c2, 402},   {0xc83553c5c8965d3d, 428},
    {0x952ab45cfa97a0b3, 455},   {0xde469fbd99a05fe3, 481},   {0xa59bc234db398c25, 508},
    {0xf6c69a72a3989f5c, 534},   {0xb7dcbf5354e9bece, 561},   {0x88fcf317f22241e2, 588},
    {0xcc20ce9bd35c78a5, 614},   {0x98165af37b2153df, 641},   {0xe2a0b5dc971f303a, 667},
    {0xa8d9d1535ce3b396, 694},   {0xfb9b7cd9a4a7443c, 720},   {0xbb764c4ca7a44410, 747},
    {0x8bab8eefb6409c1a, 774},   {0xd01fef10a657842c, 800},   {0x9b10a4e5e9913129, 827},
    {0xe7109bfba19c0c9d, 853},   {0xac2820d9623bf429, 880},   {0x80444b5e7aa7cf85, 907},
    {0xbf21e44003acdd2d, 933},   {0x8e679c2f5e44ff8f, 960},   {0xd433179d9c8cb841, 986},
    {0x9e19db92b4e31ba9, 1013},  {0xeb96bf6ebadf77d9, 1039},  {0xaf87023b9bf0ee6b, 1066},
}};

/// The exponents that a scaled value may have, so that its integer part fits 32 bits.
constexpr int kScaledExponentMin = -60;
constexpr int kScaledExponentMax = -32;

constexpr Float64 normalize(Float64 value) noexcept {
    const int shift = std::countl_zero(value.significand);
    return {value.significand << shift, value.exponent - shift};
}

/// The upper half of the product, rounded.
Float64 multiply(Float64 a, Float64 b) noexcept {
    const auto product = static_cast<unsigned __int128>(a.significand) * b.significand;
    const auto rounded = product + (std::uint64_t{1} << 63);
    return {static_cast<std::uint64_t>(rounded >> 64), a.exponent + b.exponent + 64};
}

/// A value and the halfway points to its neighbours, all with one exponent.
struct Interval {
    Float64 value;
    std::uint64_t lower = 0;
    std::uint64_t upper = 0;
};

Interval interval_of(double value) noexcept {
    constexpr int kFractionBits = 52;
    constexpr int kBias = 1023 + kFractionBits;
    constexpr std::uint64_t kHiddenBit = std::uint64_t{1} << kFractionBits;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t fraction = bits & (kHiddenBit - 1);
    const int biased = static_cast<int>(bits >> kFractionBits);
    const Float64 exact =
        biased == 0 ? Float64{fraction, 1 - kBias} : Float64{fraction + kHiddenBit, biased - kBias};
    const Float64 upper = normalize({(exact.significand << 1) + 1, exact.exponent - 1});
    // Below a power of two the neighbour is half as far away.
    const bool is_power = fraction == 0 && biased > 1;
    const Float64 lower = is_power ? Float64{(exact.significand << 2) - 1, exact.exponent - 2}
                                   : Float64{(exact.significand << 1) - 1, exact.exponent - 1};
    return {normalize(exact),
            lower.significand << (lower.exponent - upper.exponent),
            upper.significand};
}

/// The index of a power of ten that scales a significand with `exponent` into the window.
std::size_t power_index(int exponent) noexcept {
    constexpr double kLog10Of2 = 0.30102999566398120;
    const int wanted = static_cast<int>(-(exponent + static_cast<int>(kPowers.size())) * kLog10Of2);
    auto index = static_cast<std::size_t>((wanted - kFirstPower) / kPowerStep);
    for (;;) {
        const int scaled = exponent + kPowers[index].exponent + 64;
        if (scaled < kScaledExponentMin) {
            ++index;
        } else if (scaled > kScaledExponentMax) {
            --index;
        } else {
            return index;
        }
    }
}

/// Takes the last digit down as long as that comes nearer to the value and stays in the interval.
///
/// All are distances below the interval's upper end: `rest` of the digits, `distance` of the value,
/// `width` of the lower end; `unit` is the weight of the last digit.
void round_last_digit(char& digit,
                      std::uint64_t rest,
                      std::uint64_t distance,
                      std::uint64_t width,
                      std::uint64_t unit) noexcept {
    while (rest < distance && width - rest >= unit &&
           (rest + unit < distance || distance - rest > rest + unit - distance)) {
        --digit;
        rest += unit;
    }
}

/// Writes digits of `upper` until what is left is inside the interval's `width`.
std::size_t generate_digits(Float64 upper,
                            std::uint64_t distance,
                            std::uint64_t width,
                            char* digits,
                            int& exponent) noexcept {
    const int shift = -upper.exponent;
    const std::uint64_t one = std::uint64_t{1} << shift;
    auto whole = static_cast<std::uint32_t>(upper.significand >> shift);
    std::uint64_t fraction = upper.significand & (one - 1);
    std::size_t count = 0;
    std::uint32_t divisor = 1'000'000'000;
    for (int place = 10; place > 0; --place, divisor /= 10) {
        const std::uint32_t digit = whole / divisor;
        whole %= divisor;
        if (digit != 0 || count != 0) {
            digits[count++] = static_cast<char>('0' + digit);
        }
        const std::uint64_t rest = (std::uint64_t{whole} << shift) + fraction;
        if (rest <= width) {
            exponent += place - 1;
            round_last_digit(
                digits[count - 1], rest, distance, width, std::uint64_t{divisor} << shift);
            return count;
        }
    }
    std::uint64_t unit = 1;
    for (;;) {
        fraction *= 10;
        width *= 10;
        unit *= 10;
        --exponent;
        const auto digit = static_cast<char>(fraction >> shift);
        if (digit != 0 || count != 0) {
            digits[count++] = static_cast<char>('0' + digit);
        }
        fraction &= one - 1;
        if (fraction < width) {
            round_last_digit(digits[count - 1], fraction, distance * unit, width, one);
            return count;
        }
    }
}

}  // namespace

std::size_t shortest_digits(double value, char* digits, int& exponent) noexcept {
    const Interval interval = interval_of(value);
    const std::size_t index = power_index(interval.value.exponent);
    const Float64 power = kPowers[index];
    const Float64 scaled = multiply(interval.value, power);
    const Float64 lower = multiply({interval.lower, interval.value.exponent}, power);
    Float64 upper = multiply({interval.upper, interval.value.exponent}, power);
    // One unit inwards on both sides covers the error of the power and of the products.
    --upper.significand;
    const std::uint64_t width = upper.significand - (lower.significand + 1);
    exponent = -(kFirstPower + kPowerStep * static_cast<int>(index));
    return generate_digits(upper, upper.significand - scaled.significand, width, digits, exponent);
}

}  // namespace tern
