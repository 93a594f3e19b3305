/// How far is a ring's round trip above the physical floor?
///
/// Floor: one line bounced each way between the same two cores. Ring: a record of 24, 56 or 100
/// bytes sent, copied by the peer into a record of its own and sent back; "fenced" as for a peer
/// that may sleep. In the last two columns both sides work for some 20 ns between writing the
/// payload and the commit, as an encoder does, staged and in place. All cases of a repetition
/// run one after the other, floor first and last, and repetitions are interleaved, because the
/// distance of two cores changes between runs on virtual machines. Both sides spin; SCHED_OTHER.
///
///     ring_pingpong [--rounds N] [--repetitions N] [--cores A,B] [--smoke]
///
/// --smoke: few rounds, and every wait yields, so that it may run anywhere and at any load.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <tern/base/check.hpp>
#include <thread>
#include <vector>

#include "base/affinity.hpp"
#include "base/clock.hpp"
#include "base/idle_strategy.hpp"
#include "transport/ring/ring.hpp"
#include "transport/ring/test_ring.hpp"

namespace {

using tern::TickClock;
using tern::transport::RingClaim;
using tern::transport::RingConsumer;
using tern::transport::RingEnd;
using tern::transport::RingProducer;
using tern::transport::RingRecord;
using tern::transport::TestRing;
using tern::transport::WaitPolicy;

struct Options {
    int round_count = 100'000;
    int repetition_count = 7;
    int cores[2] = {-1, -1};
    bool yields = false;
};

/// Waits without end until `is_ready`, as the options say.
enum class Spin { kBare, kPause, kYield };

template <Spin How, typename Ready>
inline void wait_until(Ready is_ready) {
    while (!is_ready()) {
        if constexpr (How == Spin::kPause) {
            tern::cpu_relax();
        } else if constexpr (How == Spin::kYield) {
            std::this_thread::yield();
        }
    }
}

struct alignas(128) Line {
    std::atomic<std::uint64_t> value{0};
};

/// How a message comes into the ring.
struct Encoding {
    bool is_in_place = false;
    int step_count = 0;  ///< steps of work between the payload and the commit
};

/// Sends `payload_bytes` bytes, the first eight of which are `number`.
template <Spin How>
void send(RingEnd& end, const std::byte* payload, std::size_t payload_bytes, Encoding encoding) {
    RingClaim claim;
    wait_until<How>([&] {
        claim = encoding.is_in_place ? end.producer.try_claim(payload_bytes)
                                     : end.producer.try_stage(payload_bytes);
        return static_cast<bool>(claim);
    });
    std::memcpy(claim.data, payload, payload_bytes);
    asm volatile("" : : : "memory");
    for (int step = 0; step < encoding.step_count; ++step) {
        asm volatile("" : "+r"(step));
    }
    end.producer.commit(payload_bytes);
    TERN_CHECK(!end.producer.needs_wakeup());
}

template <Spin How>
RingRecord receive(RingEnd& end) {
    RingRecord record;
    wait_until<How>([&] {
        record = end.consumer.peek();
        return static_cast<bool>(record);
    });
    return record;
}

struct Floor {
    Line there;
    Line back;

    template <Spin How>
    void serve(int round_count) {
        for (std::uint64_t number = 1; number <= static_cast<std::uint64_t>(round_count);
             ++number) {
            // acquire and release: as the ring's headers.
            wait_until<How>([&] { return there.value.load(std::memory_order_acquire) == number; });
            back.value.store(number, std::memory_order_release);
        }
    }
    template <Spin How>
    void round(std::uint64_t number) {
        there.value.store(number, std::memory_order_release);
        wait_until<How>([&] { return back.value.load(std::memory_order_acquire) == number; });
    }
};

struct Echo {
    explicit Echo(std::size_t length, WaitPolicy policy, Encoding how)
        : ring(tern::transport::kRingCapacityBytesDefault, policy),
          payload_bytes(length),
          encoding(how) {}

    TestRing ring;
    std::size_t payload_bytes;
    Encoding encoding;
    alignas(
        128) std::byte payload[128]{};  // written by the client alone: not beside what both read

    template <Spin How>
    void serve(int round_count) {
        for (int i = 0; i < round_count; ++i) {
            const RingRecord record = receive<How>(ring.server);
            send<How>(ring.server, record.data, record.length_bytes, encoding);
            ring.server.consumer.consume();
        }
    }
    template <Spin How>
    void round(std::uint64_t number) {
        std::memcpy(payload, &number, sizeof number);
        send<How>(ring.client, payload, payload_bytes, encoding);
        const RingRecord record = receive<How>(ring.client);
        TERN_CHECK(record.length_bytes == payload_bytes);
        TERN_CHECK(std::memcmp(record.data, &number, sizeof number) == 0);
        ring.client.consumer.consume();
    }
};

void pin(int core) {
    if (core >= 0 && !tern::pin_thread_to_core(core)) {
        std::fprintf(stderr, "ring_pingpong: cannot pin to core %d\n", core);
        std::exit(1);
    }
}

/// The median round trip of one run, in nanoseconds.
template <Spin How, typename Case>
double measure(Case& subject, const Options& options, const TickClock& clock) {
    const int warm_up_count = options.round_count / 10;
    const int total_count = options.round_count + warm_up_count;
    std::thread server([&] {
        pin(options.cores[1]);
        subject.template serve<How>(total_count);
    });
    std::vector<std::uint64_t> samples(static_cast<std::size_t>(total_count));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::uint64_t start = clock.ticks();
        subject.template round<How>(i + 1);
        samples[i] = clock.ticks() - start;
    }
    server.join();
    samples.erase(samples.begin(), samples.begin() + warm_up_count);
    auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    return static_cast<double>(*middle) / clock.ticks_per_ns();
}

struct Column {
    const char* name;
    std::vector<double> p50_ns = {};

    [[nodiscard]] double median() const {
        std::vector<double> sorted = p50_ns;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
};

template <Spin How>
void run(const char* title, const Options& options, const TickClock& clock) {
    Column columns[] = {{"floor"},
                        {"24"},
                        {"56"},
                        {"100"},
                        {"24 fenced"},
                        {"floor again"},
                        {"24 working"},
                        {"24 w. in place"}};
    std::printf("%s: p50 of %d round trips, ns\n%12s", title, options.round_count, "repetition");
    for (const Column& column : columns) {
        std::printf("%16s", column.name);
    }
    std::printf("\n");
    for (int repetition = 0; repetition < options.repetition_count; ++repetition) {
        const auto floor = [&] {
            const auto lines = std::make_unique<Floor>();
            return measure<How>(*lines, options, clock);
        };
        const auto echo = [&](std::size_t length, WaitPolicy policy, Encoding encoding = {}) {
            const auto subject = std::make_unique<Echo>(length, policy, encoding);
            return measure<How>(*subject, options, clock);
        };
        columns[0].p50_ns.push_back(floor());
        columns[1].p50_ns.push_back(echo(24, WaitPolicy::kSpin));
        columns[2].p50_ns.push_back(echo(56, WaitPolicy::kSpin));
        columns[3].p50_ns.push_back(echo(100, WaitPolicy::kSpin));
        columns[4].p50_ns.push_back(echo(24, WaitPolicy::kAdaptive));
        columns[5].p50_ns.push_back(floor());
        columns[6].p50_ns.push_back(echo(24, WaitPolicy::kSpin, {.step_count = 60}));
        columns[7].p50_ns.push_back(
            echo(24, WaitPolicy::kSpin, {.is_in_place = true, .step_count = 60}));
        std::printf("%12d", repetition + 1);
        for (const Column& column : columns) {
            std::printf("%16.0f", column.p50_ns.back());
        }
        std::printf("\n");
    }
    std::printf("%12s", "median");
    for (const Column& column : columns) {
        std::printf("%16.0f", column.median());
    }
    std::printf("\n\n");
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        const char* value = i + 1 < argc ? argv[i + 1] : "";
        if (name == "--smoke") {
            options.round_count = 200;
            options.repetition_count = 1;
            options.yields = true;
        } else if (name == "--rounds") {
            options.round_count = std::max(10, std::atoi(value));
            ++i;
        } else if (name == "--repetitions") {
            options.repetition_count = std::max(1, std::atoi(value));
            ++i;
        } else if (name == "--cores" &&
                   std::sscanf(value, "%d,%d", &options.cores[0], &options.cores[1]) == 2) {
            ++i;
        } else {
            std::fprintf(stderr,
                         "usage: %s [--rounds N] [--repetitions N] [--cores A,B] [--smoke]\n",
                         argv[0]);
            std::exit(2);
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    Options options = parse(argc, argv);
    const TickClock clock = TickClock::calibrate();
    if (options.yields) {
        run<Spin::kYield>("yielding", options, clock);
        return 0;
    }
    const auto cores = tern::allowed_cores();
    if (!cores || cores->size() < 2) {
        std::fprintf(stderr, "ring_pingpong: two spinning threads need two cores; see --smoke\n");
        return 0;
    }
    if (options.cores[0] < 0) {
        options.cores[0] = (*cores)[0];
        options.cores[1] = (*cores)[1];
    }
    pin(options.cores[0]);
    std::printf("cores %d and %d, clock %.*s, %s\n",
                options.cores[0],
                options.cores[1],
                static_cast<int>(clock.source().size()),
                clock.source().data(),
                __VERSION__);
    run<Spin::kPause>("pause in the spin", options, clock);
    run<Spin::kBare>("bare spin", options, clock);
    return 0;
}
