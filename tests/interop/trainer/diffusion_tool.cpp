// Answers for tests/interop/trainer/diffusion_as_diffusers.py: reads requests from standard input, a JSON
// object a line, and writes a line with one JSON object for each. "config" holds the keys of diffusion.*;
// "ask" says what is wanted:
//   levels    {quantiles, tokens}                        → {levels}
//   grid      {steps, tokens}                            → {level, alpha, sigma}: lists
//   points    {levels}                                   → {alpha, sigma}
//   network   {level, z, output, clip, noise}            → {input, time, clean, loss}
//   preference {errors, reference, beta}                 → {losses}
//   sample    {sampler, noise, alpha, sigma, mixture}    → {clip, seen}: what the denoiser was given, in
//   order
// The denoiser of "sample" is the expected clip of a mixture of two equal Gaussians, in float32.

#include "core/config/train_config.h"
#include "trainer/diffusion/preference_loss.h"
#include "trainer/diffusion/samplers/sampler.h"

#include <torch/types.h>

#include <iostream>
#include <string>

namespace {

using dailies::Json;
using namespace dailies::trainer;

at::Tensor tensorOf(const Json& list, at::ScalarType type = at::kFloat) {
    return at::tensor(list.get<std::vector<double>>(), at::kDouble).to(type);
}

Json listOf(const at::Tensor& tensor) {
    const auto values = tensor.to(at::kDouble).contiguous();
    return std::vector<double>(values.const_data_ptr<double>(),
                               values.const_data_ptr<double>() + values.numel());
}

Json listsOf(const std::vector<PathPoint>& points) {
    Json lists = {{"level", Json::array()}, {"alpha", Json::array()}, {"sigma", Json::array()}};
    for (const auto& point : points) {
        lists["level"].push_back(point.level);
        lists["alpha"].push_back(point.alpha);
        lists["sigma"].push_back(point.sigma);
    }
    return lists;
}

Json network(const Objective& objective, const Json& ask) {
    const auto row = [&](const char* name) { return tensorOf(ask.at(name)).unsqueeze(0); };
    const auto level = at::full({1}, ask.at("level").get<double>(), at::kFloat);
    return {{"input", listOf(objective.networkInput(row("z"), level))},
            {"time", objective.networkTimes(level).item<double>()},
            {"clean", listOf(objective.predictClean(row("output"), row("z"), level))},
            {"loss", objective.loss(row("output"), row("clip"), row("noise"), level).item<double>()}};
}

Json sample(const Json& ask) {
    const auto alpha = ask.at("alpha").get<std::vector<double>>(),
               sigma = ask.at("sigma").get<std::vector<double>>();
    std::vector<PathPoint> grid;
    for (std::size_t i = 0; i < alpha.size(); ++i) grid.push_back({0, alpha[i], sigma[i]});
    const double mean = ask.at("mixture").at("mean"), deviation = ask.at("mixture").at("deviation");
    Json seen = Json::array();
    const auto denoise = [&](const at::Tensor& z, const PathPoint& p) {
        seen.push_back(listOf(z));
        const double variance = deviation * deviation;
        const double v = p.alpha * p.alpha * variance + p.sigma * p.sigma;
        const auto side = at::tanh(z * (p.alpha * mean / v)) * mean;
        return side + (z - p.alpha * side) * (p.alpha * variance / v);
    };
    const auto clip = makeSampler(ask.at("sampler"))->sample(tensorOf(ask.at("noise")), denoise, grid);
    return {{"clip", listOf(clip)}, {"seen", seen}};
}

Json answer(const Json& ask) {
    const auto config = dailies::config::resolve({{"diffusion", ask.value("config", Json::object())}});
    const auto objective = makeObjective(config.diffusion);
    const std::string what = ask.at("ask");
    if (what == "levels")
        return {{"levels", listOf(objective->levels(tensorOf(ask.at("quantiles"), at::kDouble),
                                                    ask.value("tokens", 1)))}};
    if (what == "grid") return listsOf(objective->grid(ask.at("steps"), ask.value("tokens", 1)));
    if (what == "preference")
        return {{"losses", listOf(preferenceLoss(tensorOf(ask.at("errors")), tensorOf(ask.at("reference")),
                                                 ask.at("beta")))}};
    if (what == "points") {
        std::vector<PathPoint> points;
        for (const double level : ask.at("levels").get<std::vector<double>>())
            points.push_back(objective->point(level));
        return listsOf(points);
    }
    return what == "network" ? network(*objective, ask) : sample(ask);
}

}  // namespace

int main() {
    for (std::string request; std::getline(std::cin, request);)
        std::cout << answer(Json::parse(request)) << std::endl;
}
