#include "core/base/error.h"
#include "core/base/text.h"
#include "trainer/cli/run_options.h"
#include "trainer/runtime/device.h"
#include "trainer/runtime/stop_signal.h"
#include "trainer/tokenizers/tokenized_source.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
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

}  // namespace

int cache(const Args& args) {
    const auto parsed = RunOptions::parse("cache", args);
    installStopSignals();
    const auto config = parsed.readConfig();
    at::set_num_threads(static_cast<int>(config.runtime.threads));
    const auto tokenizer = makeTokenizer(config.tokenizer, chooseDevice(config.runtime.device, 0));
    if (!tokenizer) throw InputError("cache: tokenizer.kind is none, expected one that makes latents.");
    const auto folder = cacheFolder(config, parsed.runFolder);
    auto clips = makeDataSource(config, {folder, 0, 1, {}});
    const auto count = clips->size();
    if (count == 0)
        throw InputError("cache: the clips of data.source " + config.data.source +
                         " are made on the fly, each step fresh ones; there is nothing to keep.");
    TokenizedSource source(std::move(clips), *tokenizer, folder);
    auto told = std::chrono::steady_clock::now(), written = told;
    auto toWrite = kFirstWrite;
    std::int64_t made = 0, done = 0;
    for (; done < count && !stopRequested(); ++done) {
        made += source.keep(done);
        const auto now = std::chrono::steady_clock::now();
        if (now - told > kNews) {
            std::cerr << "dailies-train: " << done + 1 << " of " << count << " clips\n";
            told = now;
        }
        if (now - written > toWrite) {
            source.flush();
            written = now;
            toWrite = std::min(2 * toWrite, kLastWrites);
        }
    }
    source.flush();
    for (const auto& problem : source.takeProblems())
        std::cerr << "dailies-train: " << sanitizedText(problem) << '\n';
    std::cout << done << " of " << count << " clips: " << made << " encoded, " << done - made
              << " were there; " << bytesBelow(folder / "latents") << " bytes in "
              << (folder / "latents").string() << std::endl;
    return kDone;
}

}  // namespace dailies::trainer
