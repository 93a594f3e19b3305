#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tern/sbe/json.hpp>

#include "codecs/example_bigendian_test_schema/all.hpp"
#include "codecs/example_extension_schema/all.hpp"
#include "codecs/example_schema/all.hpp"
#include "codegen/generic_decoder.hpp"
#include "codegen/schema_parser.hpp"
#include "test_messages.hpp"

namespace tern::codegen::test {
namespace {

namespace v0 = codecs::example_schema;
namespace v1 = codecs::example_extension_schema;
namespace big = codecs::example_bigendian_test_schema;

struct Fuel {
    std::uint16_t speed;
    float mpg;
    const char* text;
};
constexpr Fuel kFuel[] = {
    {30, 35.9F, "Urban Cycle"}, {55, 49.0F, "Combined Cycle"}, {75, 40.0F, "Highway Cycle"}};
constexpr std::uint8_t kOctane[] = {95, 99};
constexpr std::uint16_t kMph[] = {30, 60, 100};
constexpr float kSeconds[2][3] = {{4.0F, 7.5F, 12.2F}, {3.8F, 7.1F, 11.8F}};

/// Fields that every version and byte order of Car shares, with the baseline's values.
template <typename Encoder, typename Boolean, typename Model, typename Extras>
void fill_root(Encoder& car, std::span<const std::uint32_t> numbers) {
    car.serial_number(1234).model_year(2013).available(Boolean::kT).code(Model::kA);
    car.some_numbers(numbers).vehicle_code("abcdef");
    car.extras(Extras().sports_pack(true).cruise_control(true));
}

template <typename Engine>
void fill_engine_head(Engine engine) {
    engine.capacity(2000).num_cylinders(4).manufacturer_code("123");
}

/// The groups and var data, entry by entry without a lambda.
template <typename Encoder>
auto fill_parts(const Encoder& car) {
    auto fuel = car.fuel_figures();
    for (const Fuel& figure : kFuel) {
        fuel = fuel.next()
                   .speed(figure.speed)
                   .mpg(figure.mpg)
                   .usage_description(std::string_view(figure.text));
    }
    auto performance = fuel.end().performance_figures();
    for (std::size_t i = 0; i < 2; ++i) {
        auto acceleration = performance.next().octane_rating(kOctane[i]).acceleration();
        for (std::size_t j = 0; j < 3; ++j) {
            acceleration = acceleration.next().mph(kMph[j]).seconds(kSeconds[i][j]).done();
        }
        performance = acceleration.end();
    }
    return performance.end().manufacturer("Honda").model("Civic VTi").activation_code("abcdef");
}

std::string json_of(const std::string& schema, Bytes message) {
    const ParseOutcome outcome = parse_schema(data_path("schemas/valid/" + schema));
    EXPECT_TRUE(outcome.ok()) << outcome.report();
    std::string text;
    const GenericResult result = print_message(*outcome.schema, message, text);
    EXPECT_EQ(result.status, sbe::DecodeStatus::kOk);
    return text;
}

TEST(CarCodec, EncodesBaselineToThePublishedBytes) {
    std::array<std::byte, 207> buffer;
    auto car = v0::CarEncoder::wrap(buffer);
    const std::uint32_t numbers[] = {1, 2, 3, 4};
    fill_root<v0::CarEncoder, v0::BooleanType, v0::Model, v0::OptionalExtras>(car, numbers);
    fill_engine_head(car.engine());
    car.engine().efficiency(35).booster_enabled(v0::BooleanType::kT);
    car.engine().booster().boost_type(v0::BoosterBoostType::kNitrous).horse_power(200);
    const auto end = fill_parts(car);
    ASSERT_EQ(end.encode_status(), sbe::EncodeStatus::kOk);
    EXPECT_EQ(to_hex(end.message_bytes()), to_hex(load_message("car-baseline")));
}

TEST(CarCodec, EncodesBigEndianToThePublishedBytes) {
    std::array<std::byte, 256> buffer;
    auto car = big::CarEncoder::wrap(buffer);
    const std::vector<std::byte> golden = load_message("car-bigendian");
    const auto view = big::VerifiedCarView::wrap(golden);
    ASSERT_TRUE(view) << to_string(view.status());
    // The published message differs from the baseline in a few values: take them from it.
    std::vector<std::uint32_t> numbers;
    for (const auto number : view->some_numbers()) {
        numbers.push_back(number);
    }
    car.serial_number(view->serial_number()).model_year(view->model_year());
    car.available(view->available()).code(view->code()).some_numbers(numbers);
    car.vehicle_code(view->vehicle_code()).extras(view->extras());
    car.engine().capacity(view->engine().capacity());
    car.engine().num_cylinders(view->engine().num_cylinders());
    car.engine().manufacturer_code(view->engine().manufacturer_code());
    car.engine().efficiency(view->engine().efficiency());
    car.engine().booster_enabled(view->engine().booster_enabled());
    car.engine().booster().boost_type(view->engine().booster().boost_type());
    car.engine().booster().horse_power(view->engine().booster().horse_power());
    auto fuel = car.fuel_figures();
    for (const auto figure : view->fuel_figures()) {
        fuel = fuel.next()
                   .speed(figure.speed())
                   .mpg(figure.mpg())
                   .usage_description(figure.usage_description());
    }
    auto performance = fuel.end().performance_figures();
    for (const auto figure : view->performance_figures()) {
        auto acceleration = performance.next().octane_rating(figure.octane_rating()).acceleration();
        for (const auto point : figure.acceleration()) {
            acceleration = acceleration.next().mph(point.mph()).seconds(point.seconds()).done();
        }
        performance = acceleration.end();
    }
    const auto end = performance.end()
                         .manufacturer(view->manufacturer())
                         .model(view->model())
                         .activation_code(view->activation_code());
    EXPECT_EQ(to_hex(end.message_bytes()), to_hex(golden));
    EXPECT_EQ(view->serial_number(), 1234U);
    EXPECT_EQ(view->manufacturer(), "Honda");
}

TEST(CarCodec, EncodesTheExtensionWithItsNewFields) {
    std::array<std::byte, 256> buffer;
    auto car = v1::CarEncoder::wrap(buffer);
    const std::uint32_t numbers[] = {1, 2, 3, 4};
    fill_root<v1::CarEncoder, v1::BooleanType, v1::Model, v1::OptionalExtras>(car, numbers);
    fill_engine_head(car.engine());
    car.engine().efficiency(35).booster_enabled(v1::BooleanType::kT);
    car.engine().booster().boost_type(v1::BoosterBoostType::kNitrous).horse_power(200);
    const std::int64_t uuid[] = {7, 3};
    car.uuid(uuid).cup_holder_count(119);
    const auto end = fill_parts(car);
    EXPECT_EQ(to_hex(end.message_bytes()), to_hex(load_message("car-extension-v1-derived")));
}

TEST(CarCodec, ReadsEveryValueOfTheBaseline) {
    const ExactBuffer message(load_message("car-baseline"));
    const auto car = v0::CarView::wrap(message.bytes());
    ASSERT_TRUE(car);
    EXPECT_EQ(car->serial_number(), 1234U);
    EXPECT_EQ(car->model_year(), 2013);
    EXPECT_EQ(car->available(), v0::BooleanType::kT);
    EXPECT_EQ(car->code(), v0::Model::kA);
    EXPECT_EQ(car->some_numbers()[3], 4U);
    EXPECT_EQ(car->vehicle_code(), "abcdef");
    EXPECT_FALSE(car->extras().sun_roof());
    EXPECT_TRUE(car->extras().sports_pack());
    EXPECT_TRUE(car->extras().cruise_control());
    EXPECT_EQ(v0::CarView::discounted_model(), v0::Model::kC);
    EXPECT_EQ(car->engine().capacity(), 2000);
    EXPECT_EQ(v0::EngineView::max_rpm(), 9000);
    EXPECT_EQ(v0::EngineView::fuel(), "Petrol");
    EXPECT_EQ(car->engine().manufacturer_code(), "123");
    EXPECT_EQ(car->engine().booster().boost_type().name(), "NITROUS");

    v0::CarView::FuelFigures fuel;
    v0::CarView::PerformanceFigures performance;
    std::string_view manufacturer;
    std::string_view model;
    std::string_view code;
    const auto end = car->walk()
                         .fuel_figures(fuel)
                         .performance_figures(performance)
                         .manufacturer(manufacturer)
                         .model(model)
                         .activation_code(code);
    ASSERT_TRUE(end);
    EXPECT_EQ(end.bytes_left(), 0U);
    EXPECT_EQ(end.body_bytes(), 199U);
    std::size_t index = 0;
    for (const auto figure : fuel) {
        EXPECT_EQ(figure.speed(), kFuel[index].speed);
        EXPECT_EQ(figure.mpg(), kFuel[index].mpg);
        EXPECT_EQ(figure.usage_description(), kFuel[index].text);
        ++index;
    }
    EXPECT_EQ(index, 3U);
    index = 0;
    for (const auto figure : performance) {
        ASSERT_EQ(figure.acceleration().size(), 3U);
        EXPECT_EQ(figure.octane_rating(), kOctane[index]);
        EXPECT_EQ(figure.acceleration()[2].seconds(), kSeconds[index][2]);
        ++index;
    }
    EXPECT_EQ(manufacturer, "Honda");
    EXPECT_EQ(model, "Civic VTi");
    EXPECT_EQ(code, "abcdef");
}

TEST(CarCodec, FieldsLieWhereTheMapSays) {
    const std::vector<std::byte> message = load_message("car-baseline");
    using Meta = v0::CarView::Meta;
    const std::map<std::string, std::pair<std::size_t, std::size_t>> generated = {
        {"serialNumber", {Meta::SerialNumber::kOffset, Meta::SerialNumber::kBytes}},
        {"modelYear", {Meta::ModelYear::kOffset, Meta::ModelYear::kBytes}},
        {"available", {Meta::Available::kOffset, Meta::Available::kBytes}},
        {"code", {Meta::Code::kOffset, Meta::Code::kBytes}},
        {"someNumbers", {Meta::SomeNumbers::kOffset, Meta::SomeNumbers::kBytes}},
        {"vehicleCode", {Meta::VehicleCode::kOffset, Meta::VehicleCode::kBytes}},
        {"extras", {Meta::Extras::kOffset, Meta::Extras::kBytes}}};
    std::istringstream lines(read_text(data_path("messages/car-baseline.fields.tsv")));
    std::string line;
    std::getline(lines, line);
    std::size_t next = 0;
    std::size_t found = 0;
    while (std::getline(lines, line)) {
        std::istringstream columns(line);
        std::size_t offset = 0;
        std::size_t length = 0;
        std::string field;
        std::string hex;
        columns >> offset >> length >> field >> hex;
        EXPECT_EQ(offset, next) << field;
        EXPECT_EQ(to_hex(Bytes(message).subspan(offset, length)), hex) << field;
        next = offset + length;
        if (const auto at = generated.find(field); at != generated.end()) {
            EXPECT_EQ(at->second.first + v0::CarView::kHeaderBytes, offset) << field;
            EXPECT_EQ(at->second.second, length) << field;
            ++found;
        }
    }
    EXPECT_EQ(next, message.size());
    EXPECT_EQ(found, generated.size());
}

TEST(CarCodec, NewReaderSeesOldDataWithoutTheNewFields) {
    const ExactBuffer message(load_message("car-baseline-someNumbers-from-0"));
    const auto car = v1::VerifiedCarView::wrap(message.bytes());
    ASSERT_TRUE(car);
    EXPECT_EQ(car->acting_version(), 0U);
    EXPECT_FALSE(car->uuid());
    EXPECT_FALSE(car->cup_holder_count());
    EXPECT_EQ(car->some_numbers()[0], 0U);
    EXPECT_EQ(car->model(), "Civic VTi");
    std::string text;
    sbe::to_json(*car, text);
    EXPECT_EQ(text.find("uuid"), std::string::npos) << text;
}

TEST(CarCodec, OldReaderStepsOverNewFields) {
    const ExactBuffer message(load_message("car-extension-v1-derived"));
    const auto car = v0::VerifiedCarView::wrap(message.bytes());
    ASSERT_TRUE(car);
    EXPECT_EQ(car->acting_version(), 1U);
    EXPECT_EQ(car->acting_block_length(), 62U);
    EXPECT_EQ(car->activation_code(), "abcdef");
    EXPECT_EQ(car->fuel_figures().size(), 3U);
}

TEST(CarCodec, ReadsTheExtensionWithItsNewFields) {
    const ExactBuffer message(load_message("car-extension-v1-derived"));
    const auto car = v1::VerifiedCarView::wrap(message.bytes());
    ASSERT_TRUE(car);
    ASSERT_TRUE(car->uuid());
    EXPECT_EQ((*car->uuid())[0], 7);
    EXPECT_EQ((*car->uuid())[1], 3);
    EXPECT_EQ(car->cup_holder_count(), 119);
}

TEST(CarCodec, StepsOverUnknownBytesOfALaterVersion) {
    const ExactBuffer message(load_message("car-future-v9-derived"));
    const auto car = v0::VerifiedCarView::wrap(message.bytes());
    ASSERT_TRUE(car);
    EXPECT_EQ(car->acting_version(), 9U);
    EXPECT_EQ(car->acting_block_length(), 56U);
    EXPECT_EQ(car->manufacturer(), "Honda");
    EXPECT_EQ(car->bytes_left(), 0U);
}

TEST(CarCodec, GeneratedJsonIsTheGenericDecodersJson) {
    const std::vector<std::byte> message = load_message("car-sample-cpp-derived");
    const auto car = v0::VerifiedCarView::wrap(message);
    ASSERT_TRUE(car);
    std::string text;
    sbe::to_json(*car, text);
    EXPECT_EQ(text, json_of("example-schema.xml", message));
    EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

TEST(CarCodec, JsonHasTheDocumentedShapes) {
    const std::vector<std::byte> message = load_message("car-baseline");
    const auto json = nlohmann::json::parse(json_of("example-schema.xml", message));
    EXPECT_EQ(json["available"], "T");
    EXPECT_EQ(json["extras"]["sportsPack"], true);
    EXPECT_EQ(json["engine"]["fuel"], "Petrol");
    EXPECT_EQ(json["someNumbers"], (std::vector<int>{1, 2, 3, 4}));
    EXPECT_EQ(json["performanceFigures"][1]["acceleration"][0]["mph"], 30);
    EXPECT_EQ(json["manufacturer"], "Honda");
}

TEST(CarCodec, DispatchFindsTheMessageByItsHeader) {
    const std::vector<std::byte> message = load_message("car-baseline");
    std::string_view name;
    const sbe::DecodeStatus status =
        v0::dispatch(message, [&name](const auto& view) { name = view.kName; });
    EXPECT_EQ(status, sbe::DecodeStatus::kOk);
    EXPECT_EQ(name, "Car");
}

TEST(CarCodec, TrustedWrapReadsTheSameFields) {
    const std::vector<std::byte> message = load_message("car-baseline");
    const v0::CarView car = v0::CarView::wrap_trusted(message);
    EXPECT_EQ(car.serial_number(), 1234U);
    EXPECT_EQ(car.acting_block_length(), 45U);
}

}  // namespace
}  // namespace tern::codegen::test
