#include "core/base/error.h"
#include "core/config/schema.h"

#include <gtest/gtest.h>

#include <random>

namespace dailies::config {
namespace {

using Random = std::mt19937;

std::size_t below(std::size_t n, Random& random) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

/// Values of every JSON type, with those that ranges and conversions trip over.
Json oddValue(Random& random) {
    static const std::vector<Json> kValues = {nullptr,
                                              true,
                                              0,
                                              -1,
                                              1,
                                              7,
                                              1e308,
                                              -1e308,
                                              0.5,
                                              1e-320,
                                              9223372036854775807,
                                              18446744073709551615U,
                                              "",
                                              "dit",
                                              "8x32x32@8",
                                              "1e-3",
                                              "0x0x0",
                                              "\u0000x",
                                              Json::array(),
                                              Json::object(),
                                              {{"lr", 1}},
                                              {"8x32x32", "8x32x32"},
                                              {nullptr},
                                              std::string(100'000, 'a')};
    return kValues[below(kValues.size(), random)];
}

/// A few values of the config replaced, taken away or put where no key is.
Json injured(Json config, Random& random) {
    const auto& fields = trainSchema();
    for (std::size_t left = below(4, random) + 1; left > 0; --left) {
        const auto& key = fields[below(fields.size(), random)].key;
        switch (below(5, random)) {
            case 0:
                config[key] = oddValue(random);  // dotted, beside the nested one
                break;
            case 1:
                config[key.substr(0, key.find('.'))] = oddValue(random);
                break;
            case 2:
                config.erase(key.substr(0, key.find('.')));
                break;
            case 3:
                config["unknown." + key] = oddValue(random);
                break;
            default:
                if (config[key.substr(0, key.find('.'))].is_object() || key.find('.') == std::string::npos)
                    setByKey(config, key, oddValue(random));
        }
    }
    return config;
}

TEST(ConfigFuzz, AnyValuesAreTakenOrRefusedWithWords) {
    Random random(1);
    const Json sound = toJson(TrainConfig{});
    int taken = 0, refused = 0;
    for (int i = 0; i < 4'000; ++i) {
        const Json config = injured(sound, random);
        SCOPED_TRACE(config.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 2000));
        try {
            const Json resolved = toJson(resolve(config));
            ASSERT_EQ(toJson(resolve(resolved)), resolved) << "what was taken is sound";
            ++taken;
        } catch (const InputError& error) {
            ASSERT_FALSE(std::string(error.what()).empty());
            ++refused;
        }
    }
    EXPECT_GT(taken, 20);
    EXPECT_GT(refused, 1'000);
}

TEST(ConfigFuzz, AnyBytesAreTakenOrRefusedWithWords) {
    Random random(2);
    const std::string sound = toJson(TrainConfig{}).dump();
    for (int i = 0; i < 4'000; ++i) {
        std::string text = sound;
        for (std::size_t left = below(4, random) + 1; left > 0; --left) {
            const auto at = below(text.size(), random);
            switch (below(3, random)) {
                case 0:
                    text[at] = static_cast<char>(below(256, random));
                    break;
                case 1:
                    text.erase(at, below(24, random) + 1);
                    break;
                default:
                    text.insert(at, text.substr(below(text.size(), random), below(24, random) + 1));
            }
            if (text.empty()) break;
        }
        SCOPED_TRACE(text);
        try {
            resolve(parseJson(text, "config.json"));
        } catch (const InputError&) {
        }
    }
}

}  // namespace
}  // namespace dailies::config
