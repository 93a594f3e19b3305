// One case each of what the types forbid. Without a case (CASE_NONE) the file compiles.
#include <vector>

#include "codecs/example_schema/all.hpp"

namespace {

using codecs::example_schema::CarEncoder;
using codecs::example_schema::CarView;

[[maybe_unused]] bool read(tern::Bytes message) {
    const auto car = CarView::wrap(message);
    CarView::FuelFigures fuel;
    CarView::PerformanceFigures performance;
    std::string_view text;
#if defined(CASE_DATA_OUT_OF_ORDER)
    return static_cast<bool>(
        car->walk().fuel_figures(fuel).performance_figures(performance).model(text));
#elif defined(CASE_GROUP_SKIPPED)
    return static_cast<bool>(car->walk().performance_figures(performance));
#elif defined(CASE_FINISHED_EARLY)
    return car->walk().fuel_figures(fuel).performance_figures(performance).bytes_left() == 0;
#elif defined(CASE_TEMPORARY_BUFFER)
    return CarView::wrap(std::vector<std::byte>(300)).ok();
#else
    return static_cast<bool>(car->walk()
                                 .fuel_figures(fuel)
                                 .performance_figures(performance)
                                 .manufacturer(text)
                                 .model(text)
                                 .activation_code(text));
#endif
}

[[maybe_unused]] std::size_t write(tern::MutableBytes buffer) {
    const auto car = CarEncoder::wrap(buffer);
    auto fuel = car.fuel_figures();
#if defined(CASE_ENTRY_INCOMPLETE)
    fuel = fuel.next().speed(1);
#else
    fuel = fuel.next().speed(1).usage_description("text");
#endif
    const auto rest = fuel.end().performance_figures().end();
#if defined(CASE_ENCODER_OUT_OF_ORDER)
    return rest.model("m").activation_code("c").encoded_bytes();
#elif defined(CASE_ENCODER_FINISHED_EARLY)
    return rest.manufacturer("m").encoded_bytes();
#else
    return rest.manufacturer("m").model("m").activation_code("c").encoded_bytes();
#endif
}

}  // namespace
