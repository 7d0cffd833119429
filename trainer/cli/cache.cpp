#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/cli/run_options.h"
#include "trainer/runtime/device.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/text/text_encoder.h"
#include "trainer/tokenizers/tokenized_source.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>

namespace dailies::trainer {

namespace {

constexpr auto kNews = std::chrono::seconds(10);  // between lines on standard error
// what a kill may lose: as much as was done before it, and never more than the second; so early files come
// early and there are few of them
constexpr auto kFirstWrite = std::chrono::milliseconds(500), kLastWrites = std::chrono::milliseconds(60'000);

std::uint64_t bytesBelow(const std::filesystem::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
        bytes += entry.file_size(missing);
    return bytes;
}

/// Says from time to time how far a long loop is, and has written what it made.
class Pace {
public:
    Pace(std::int64_t count, std::string things) : m_count(count), m_things(std::move(things)) {}

    void after(std::int64_t done, const std::function<void()>& write) {
        const auto now = std::chrono::steady_clock::now();
        if (now - m_told > kNews) {
            std::cerr << "dailies-train: " << done << " of " << m_count << " " << m_things << '\n';
            m_told = now;
        }
        if (now - m_written > m_toWrite) {
            write();
            m_written = now;
            m_toWrite = std::min(2 * m_toWrite, kLastWrites);
        }
    }

private:
    std::int64_t m_count;
    std::string m_things;
    std::chrono::steady_clock::time_point m_told = std::chrono::steady_clock::now(), m_written = m_told;
    std::chrono::milliseconds m_toWrite = kFirstWrite;
};

void sayProblems(const std::vector<std::string>& problems) {
    for (const auto& problem : problems) std::cerr << "dailies-train: " << sanitizedText(problem) << '\n';
}

void cacheLatents(std::unique_ptr<DataSource> clips, const Tokenizer& tokenizer,
                  const ConditionEncoder* conditionEncoder, const std::filesystem::path& folder) {
    const auto count = clips->size();
    TokenizedSource source(std::move(clips), tokenizer, folder, conditionEncoder);
    Pace pace(count, "clips");
    std::int64_t made = 0, done = 0;
    for (; done < count && !stopRequested(); ++done) {
        made += source.keep(done);
        pace.after(done + 1, [&] { source.flush(); });
    }
    source.flush();
    sayProblems(source.takeProblems());
    std::cout << done << " of " << count << " clips: " << made << " encoded, " << done - made
              << " were there; " << bytesBelow(folder / "latents") << " bytes in "
              << (folder / "latents").string() << std::endl;
}

/// Of the data, the prompts, and the text of a dropped caption.
void cacheCaptions(const config::TrainConfig& config, std::vector<std::string> captions, at::Device device,
                   const std::filesystem::path& folder) {
    captions.insert(captions.end(), config.sampling.prompts.begin(), config.sampling.prompts.end());
    captions.emplace_back();
    const auto encoder = makeTextEncoder(config, Vocabulary({}), 0, device, folder);
    const auto count = static_cast<std::int64_t>(captions.size());
    Pace pace(count, "captions");
    std::int64_t done = 0;
    for (; done < count && !stopRequested(); ++done) {
        encoder->encode({{captions[static_cast<std::size_t>(done)]}});
        pace.after(done + 1, [&] { encoder->flush(); });
    }
    encoder->flush();
    sayProblems(encoder->takeNotes());
    std::cout << done << " of " << count << " captions: " << bytesBelow(folder / "text") << " bytes in "
              << (folder / "text").string() << std::endl;
}

}  // namespace

int cache(const Args& args) {
    const auto parsed = RunOptions::parse("cache", args);
    installStopSignals();
    const auto config = parsed.readConfig();
    at::set_num_threads(static_cast<int>(config.runtime.threads));
    const auto device = chooseDevice(config.runtime.device, 0);
    const auto tokenizer = makeTokenizer(config.tokenizer, device);
    const bool readsCaptions = config.text.encoder == "t5";
    if (!tokenizer && !readsCaptions)
        throw InputError(
            "cache: tokenizer.kind is none, expected one that makes latents, or text.encoder t5.");
    const auto folder = cacheFolder(config, parsed.runFolder);
    auto clips = makeDataSource(config, {folder, 0, 1, {}});
    if (tokenizer && clips->size() == 0)
        throw InputError("cache: the clips of data.source " + config.data.source +
                         " are made on the fly, each step fresh ones; there is nothing to keep.");
    auto prior = makePriorSource(config, {folder, 0, 1, {}});
    if (readsCaptions) {
        auto captions = clips->captions();
        if (prior) {
            const auto others = prior->captions();
            captions.insert(captions.end(), others.begin(), others.end());
        }
        cacheCaptions(config, std::move(captions), device, folder);
    }
    const auto conditionEncoder = makeConditionEncoder(config.model, tokenizer.get(), device);
    for (auto* each : {&clips, &prior})
        if (tokenizer && *each) cacheLatents(std::move(*each), *tokenizer, conditionEncoder.get(), folder);
    return kDone;
}

}  // namespace dailies::trainer
