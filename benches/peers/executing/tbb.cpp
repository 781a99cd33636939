// The same cases by oneTBB: `tbb hop CAPACITY BATCH ITEMS`, `tbb farm ROUNDS ITEMS`, `tbb sequential ROUNDS ITEMS`, `tbb idle
// MILLISECONDS`. Its pipeline has no queues; the capacity is the number of tokens, which are items on their way.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>

using oneapi::tbb::filter_mode;
using oneapi::tbb::flow_control;
using oneapi::tbb::make_filter;
using oneapi::tbb::parallel_pipeline;

static std::uint64_t task(std::uint64_t item, std::uint64_t rounds) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
        item = item * 6364136223846793005ULL + 1442695040888963407ULL;
    }
    return item;
}

static std::uint64_t hop(std::size_t tokens, std::uint64_t items) {
    std::uint64_t next = 0, sum = 0;
    parallel_pipeline(tokens,
        make_filter<void, std::uint64_t>(filter_mode::serial_in_order, [&](flow_control &control) -> std::uint64_t {
            if (next == items) control.stop();
            return next < items ? next++ : 0;
        }) & make_filter<std::uint64_t, std::uint64_t>(filter_mode::serial_in_order, [](std::uint64_t item) { return item + 1; })
           & make_filter<std::uint64_t, void>(filter_mode::serial_in_order, [&](std::uint64_t item) { sum += item; }));
    return sum;
}

static std::uint64_t hop_in_batches(std::size_t tokens, std::uint64_t batch, std::uint64_t items) {
    using Batch = std::vector<std::uint64_t>;
    std::uint64_t next = 0, sum = 0;
    parallel_pipeline(tokens,
        make_filter<void, Batch>(filter_mode::serial_in_order, [&](flow_control &control) {
            Batch values;
            if (next == items) {
                control.stop();
                return values;
            }
            values.reserve(batch);
            for (std::uint64_t taken = 0; taken < batch && next < items; ++taken) values.push_back(next++);
            return values;
        }) & make_filter<Batch, Batch>(filter_mode::serial_in_order, [](Batch values) {
            for (auto &value : values) ++value;
            return values;
        }) & make_filter<Batch, void>(filter_mode::serial_in_order, [&](const Batch &values) {
            for (auto value : values) sum += value;
        }));
    return sum;
}

// Two threads, as many as the farm has workers; 32 tokens for each.
static std::uint64_t farm(std::uint64_t rounds, std::uint64_t items) {
    oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism, 2);
    std::uint64_t next = 0, sum = 0;
    parallel_pipeline(64,
        make_filter<void, std::uint64_t>(filter_mode::serial_in_order, [&](flow_control &control) -> std::uint64_t {
            if (next == items) control.stop();
            return next < items ? next++ : 0;
        }) & make_filter<std::uint64_t, std::uint64_t>(filter_mode::parallel, [=](std::uint64_t item) { return task(item, rounds); })
           & make_filter<std::uint64_t, void>(filter_mode::serial_in_order, [&](std::uint64_t result) { sum = sum * 31 + result; }));
    return sum;
}

static std::uint64_t sequential(std::uint64_t rounds, std::uint64_t items) {
    std::uint64_t sum = 0;
    for (std::uint64_t item = 0; item < items; ++item) sum = sum * 31 + task(item, rounds);
    return sum;
}

static std::uint64_t idle(std::uint64_t milliseconds) {
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t next = 0, items = milliseconds / 10, count = 0;
    parallel_pipeline(64,
        make_filter<void, std::uint64_t>(filter_mode::serial_in_order, [&](flow_control &control) -> std::uint64_t {
            if (next == items) {
                control.stop();
                return 0;
            }
            std::this_thread::sleep_until(start + std::chrono::milliseconds(10 * (next + 1)));
            return next++;
        }) & make_filter<std::uint64_t, std::uint64_t>(filter_mode::serial_in_order, [](std::uint64_t item) { return item; })
           & make_filter<std::uint64_t, void>(filter_mode::serial_in_order, [&](std::uint64_t) { ++count; }));
    return count;
}

int main(int count, char **words) {
    const std::string what = count > 1 ? words[1] : "";
    const auto number = [&](int place) { return std::strtoull(words[place], nullptr, 10); };
    if (what == "hop" && count == 5) {
        std::cout << (number(3) == 1 ? hop(number(2), number(4)) : hop_in_batches(number(2), number(3), number(4))) << '\n';
    } else if (what == "farm" && count == 4) {
        std::cout << farm(number(2), number(3)) << '\n';
    } else if (what == "sequential" && count == 4) {
        std::cout << sequential(number(2), number(3)) << '\n';
    } else if (what == "idle" && count == 3) {
        std::cout << idle(number(2)) << '\n';
    } else {
        std::cerr << "error: no such case\n";
        return 1;
    }
}
