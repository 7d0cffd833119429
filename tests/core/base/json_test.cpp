#include "core/base/json.h"

#include "core/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace dailies {
namespace {

TEST(ParseJson, AMistakeNamesTheFileAndThePlace) {
    try {
        parseJson("{\"a\": 1,\n oops}", "runs/1/config.json");
        FAIL() << "was accepted";
    } catch (const InputError& error) {
        EXPECT_NE(error.full().find("runs/1/config.json is not valid JSON (at byte 11)"), std::string::npos)
            << error.full();
    }
    EXPECT_THROW(parseJson("", "x"), InputError);
    EXPECT_THROW(parseJson("{\"a\": NaN}", "x"), InputError);
}

TEST(ParseJson, KeysKeepTheOrderInWhichTheyWereWritten) {
    EXPECT_EQ(parseJson(R"({"z":1,"a":2,"m":3})", "x").dump(), R"({"z":1,"a":2,"m":3})");
}

TEST(NumberToJson, NumbersThatJsonLacksTravelAsWords) {
    EXPECT_EQ(numberToJson(std::nan("")), "NaN");
    EXPECT_EQ(numberToJson(std::numeric_limits<double>::infinity()), "Infinity");
    EXPECT_EQ(numberToJson(-std::numeric_limits<double>::infinity()), "-Infinity");
    EXPECT_TRUE(std::isnan(numberFromJson("NaN")));
    EXPECT_EQ(numberFromJson("-Infinity"), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(numberFromJson(3), 3.0);
}

TEST(NumberFromJson, AnythingElseIsRefused) {
    EXPECT_THROW(numberFromJson("nan"), InputError);
    EXPECT_THROW(numberFromJson("1.5"), InputError);
    EXPECT_THROW(numberFromJson(nullptr), InputError);
    EXPECT_THROW(numberFromJson(true), InputError);
}

TEST(ShortNumber, IsAsAPersonWouldWriteItAndReadsBackTheSame) {
    EXPECT_EQ(shortNumber(0.01), "0.01");
    EXPECT_EQ(shortNumber(1e-5), "1e-05");
    EXPECT_EQ(shortNumber(1600), "1600");
    EXPECT_EQ(shortNumber(0.0003), "0.0003");
    EXPECT_EQ(shortNumber(0.0001), "0.0001");
    EXPECT_EQ(shortNumber(100'000), "100000");
    EXPECT_EQ(shortNumber(0), "0");
    std::mt19937_64 random(5);
    for (int i = 0; i < 20'000; ++i) {
        const auto bits = random();
        double value = 0;
        std::memcpy(&value, &bits, sizeof value);
        if (std::isfinite(value)) {
            ASSERT_EQ(std::strtod(shortNumber(value).c_str(), nullptr), value);
        }
    }
}

}  // namespace
}  // namespace dailies
