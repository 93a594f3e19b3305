/// How long one small RESP command takes to parse, a reply to write and to read, a value to record
/// and numbers to print. The floor of parsing is touching each byte once: about 0.1 ns a byte.

#include <benchmark/benchmark.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <tern/base/histogram.hpp>
#include <vector>

#include "base/byte_sink.hpp"
#include "base/number_text.hpp"
#include "base/random.hpp"
#include "resp/reply_parser.hpp"
#include "resp/request_parser.hpp"
#include "resp/writer.hpp"

namespace {

using namespace tern;

std::string request(const std::vector<std::string>& argv) {
    BufferSink sink;
    resp::write_request(sink, argv);
    return std::string(sink.view());
}

void parse_requests(benchmark::State& state, const std::string& wire) {
    resp::RequestParser parser;
    std::size_t sum = 0;
    for (auto _ : state) {
        std::string_view unread = wire;
        benchmark::DoNotOptimize(unread);
        if (parser.parse(unread) != resp::RequestOutcome::kCommand) {
            state.SkipWithError("not a command");
            break;
        }
        sum += parser.argv().back().size();
        benchmark::DoNotOptimize(sum);
    }
}

void parse_ping(benchmark::State& state) {
    parse_requests(state, request({"PING"}));
}
void parse_get(benchmark::State& state) {
    parse_requests(state, request({"GET", "tern:local-transport-latency"}));
}
void parse_set(benchmark::State& state) {
    parse_requests(state, request({"SET", "tern:local-transport-latency", "0123456789abcdef"}));
}
void parse_zadd_10(benchmark::State& state) {
    std::vector<std::string> argv = {"ZADD", "tern:local-transport-latency"};
    for (int i = 0; i < 10; ++i) {
        argv.push_back(std::to_string(i));
        argv.push_back("member:00000000" + std::to_string(i));
    }
    parse_requests(state, request(argv));
}
void parse_inline(benchmark::State& state) {
    parse_requests(state, "SET key 'a value'\r\n");
}

void write_bulk_reply(benchmark::State& state) {
    BufferSink sink;
    for (auto _ : state) {
        sink.clear();
        resp::write_bulk(sink, "0123456789abcdef");
        benchmark::DoNotOptimize(sink.view());
    }
}

void read_reply(benchmark::State& state, std::string_view wire) {
    resp::ReplyParser parser;
    std::size_t sum = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(wire);
        if (parser.parse(wire) != resp::ReplyOutcome::kReply) {
            state.SkipWithError("not a reply");
            break;
        }
        sum += parser.reply().text().size();
        benchmark::DoNotOptimize(sum);
    }
}

void read_pong(benchmark::State& state) {
    read_reply(state, "+PONG\r\n");
}
void read_bulk(benchmark::State& state) {
    read_reply(state, "$16\r\n0123456789abcdef\r\n");
}
void read_map(benchmark::State& state) {
    read_reply(state, "%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n,2.5\r\n");
}

void record_value(benchmark::State& state) {
    Histogram histogram;
    Random random(1);
    std::vector<std::int64_t> values(4096);
    for (std::int64_t& value : values) {
        value = static_cast<std::int64_t>(200 + random.below(2000));
    }
    std::size_t i = 0;
    for (auto _ : state) {
        histogram.record(values[i++ & 4095]);
    }
    benchmark::DoNotOptimize(histogram.total_count());
}

void print_double(benchmark::State& state) {
    Random random(1);
    char text[kDoubleTextBytes];
    for (auto _ : state) {
        benchmark::DoNotOptimize(format_double(text, random.unit()));
    }
}

void print_integer(benchmark::State& state) {
    Random random(1);
    char text[kInt64TextBytes];
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            format_int64(text, static_cast<std::int64_t>(random.next() >> 20)));
    }
}

BENCHMARK(parse_ping);
BENCHMARK(parse_get);
BENCHMARK(parse_set);
BENCHMARK(parse_zadd_10);
BENCHMARK(parse_inline);
BENCHMARK(write_bulk_reply);
BENCHMARK(read_pong);
BENCHMARK(read_bulk);
BENCHMARK(read_map);
BENCHMARK(record_value);
BENCHMARK(print_double);
BENCHMARK(print_integer);

}  // namespace

BENCHMARK_MAIN();
