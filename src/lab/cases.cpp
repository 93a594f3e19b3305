#include "lab/cases.hpp"

#include <array>

#include "base/clock.hpp"

namespace tern::lab {

namespace {

constexpr std::string_view kKey = "tern:local-transport-latency";
constexpr std::string_view kValue = "0123456789abcdef";
constexpr std::size_t kTen = 10;

constexpr std::array<std::string_view, kTen> kNames = {"member:0000000000",
                                                       "member:0000000001",
                                                       "member:0000000002",
                                                       "member:0000000003",
                                                       "member:0000000004",
                                                       "member:0000000005",
                                                       "member:0000000006",
                                                       "member:0000000007",
                                                       "member:0000000008",
                                                       "member:0000000009"};

/// Times `call`, which returns a CallResult. Stops at the first failure.
template <typename Call>
Result<Samples> time_calls(const TimingOptions& options, Call call) {
    static const TickClock clock = TickClock::calibrate();
    constexpr std::size_t kSamplesPerLimitCheck = 64;
    for (std::size_t i = 0; i < options.warmup_count; ++i) {
        const auto result = call(i);
        if (result.is_failure()) {
            return error(Errc::kServer, "warm-up: {}", result.error());
        }
    }
    Samples samples;
    samples.ns.resize(options.sample_count);
    const std::uint64_t begin = clock.ticks();
    std::size_t count = 0;
    while (count < options.sample_count) {
        const std::uint64_t start = clock.ticks();
        const auto result = call(count);
        const std::uint64_t end = clock.ticks();
        if (result.is_failure()) {
            return error(Errc::kServer, "sample {}: {}", count, result.error());
        }
        samples.ns[count++] = static_cast<std::uint32_t>(clock.to_ns(end - start));
        if (options.time_limit_ns != 0 && count % kSamplesPerLimitCheck == 0 &&
            clock.to_ns(end - begin) > options.time_limit_ns) {
            break;
        }
    }
    samples.ns.resize(count);
    return samples;
}

Result<Samples> time_zadd(Client& client, std::size_t member_count, const TimingOptions& options) {
    std::array<ScoredMember, kTen> members;
    for (std::size_t i = 0; i < kTen; ++i) {
        members[i].member = kNames[i];
        members[i].score = static_cast<double>(i);
    }
    static_cast<void>(client.zadd(kKey, members));
    return time_calls(options, [&](std::size_t i) {
        // Scores change each time, so that the server has something to do.
        for (std::size_t m = 0; m < member_count; ++m) {
            members[m].score = static_cast<double>((i + m) % 1000);
        }
        return client.zadd(kKey, std::span(members).first(member_count));
    });
}

Result<Samples> time_hset(Client& client, std::size_t field_count, const TimingOptions& options) {
    std::array<FieldValue, kTen> fields;
    for (std::size_t i = 0; i < kTen; ++i) {
        fields[i].field = kNames[i];
        fields[i].value = kValue;
    }
    static_cast<void>(client.hset(kKey, fields));
    return time_calls(options, [&](std::size_t) {
        return client.hset(kKey, std::span(fields).first(field_count));
    });
}

}  // namespace

Result<Samples> time_operation(Client& client, Operation operation, const TimingOptions& options) {
    static_cast<void>(client.del(kKey));
    switch (operation) {
        case Operation::kPing:
            return time_calls(options, [&](std::size_t) { return client.ping(); });
        case Operation::kSet:
            return time_calls(options, [&](std::size_t) { return client.set(kKey, kValue); });
        case Operation::kGet:
            static_cast<void>(client.set(kKey, kValue));
            return time_calls(options, [&](std::size_t) { return client.get(kKey); });
        case Operation::kZadd1:
            return time_zadd(client, 1, options);
        case Operation::kZadd10:
            return time_zadd(client, kTen, options);
        case Operation::kHset1:
            return time_hset(client, 1, options);
        case Operation::kHset10:
            return time_hset(client, kTen, options);
    }
    return error(Errc::kInvalidArgument, "no such operation");
}

std::string_view to_string(Operation operation) noexcept {
    constexpr std::array<std::string_view, 7> kTexts = {
        "PING", "SET 16 B", "GET", "ZADD 1", "ZADD 10", "HSET 1", "HSET 10"};
    return kTexts[static_cast<std::size_t>(operation)];
}

std::string_view to_string(Protocol protocol) noexcept {
    constexpr std::array<std::string_view, 3> kTexts = {"RESP2", "RESP3", "SBE"};
    return kTexts[static_cast<std::size_t>(protocol)];
}

}  // namespace tern::lab
