#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tern/base/check.hpp>

#include "sbe_fuzz_car/all.hpp"

namespace {

/// Reads all that a verified message offers; none of it may lie outside the message.
std::size_t touch(const fuzz_car::VerifiedCarView& car) {
    std::size_t sum = car.vehicle_code().size() + car.manufacturer().size() + car.model().size();
    for (const auto number : car.some_numbers()) {
        sum += number;
    }
    for (const auto figure : car.fuel_figures()) {
        for (const char c : figure.usage_description()) {
            sum += static_cast<unsigned char>(c);
        }
        sum += figure.speed();
    }
    for (const auto figure : car.performance_figures()) {
        for (const auto point : figure.acceleration()) {
            sum += point.mph();
        }
    }
    return sum + car.engine().booster().boost_type().name().size() + car.bytes_left();
}

}  // namespace

/// Any bytes as a Car: the staged walk and the verification say the same, and what is verified
/// reads.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using fuzz_car::CarView;
    const std::unique_ptr<std::byte[]> copy(new std::byte[size]);
    if (size != 0) {
        std::memcpy(copy.get(), data, size);
    }
    const tern::Bytes message(copy.get(), size);
    const auto verified = fuzz_car::VerifiedCarView::wrap(message);
    if (const auto car = CarView::wrap(message)) {
        CarView::FuelFigures fuel;
        CarView::PerformanceFigures performance;
        std::string_view text;
        const auto end = car->walk()
                             .fuel_figures(fuel)
                             .performance_figures(performance)
                             .manufacturer(text)
                             .model(text)
                             .activation_code(text);
        TERN_CHECK(end.decode_status() == verified.status());
    }
    volatile std::size_t sink = verified ? touch(*verified) : 0;
    static_cast<void>(sink);
    return 0;
}
