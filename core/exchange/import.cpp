#include "core/exchange/import.h"

#include "core/base/error.h"
#include "core/base/file_kind.h"
#include "core/exchange/sources/sources.h"

#include <array>
#include <utility>

namespace dailies::exchange {

namespace fs = std::filesystem;

namespace {

struct Kind {
    std::string_view text, name;
    void (*read)(const fs::path& root, const Places& places, ImportSink& sink);
};
/// In the order of `SourceKind`.
constexpr std::array kKinds = {Kind{"mlflow", "MLflow", readMlflow},
                               Kind{"tensorboard", "TensorBoard", readTensorBoard},
                               Kind{"wandb", "W&B", readWandb}, Kind{"csv", "CSV", readCsv}};

const Kind& kindOf(SourceKind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}

constexpr const char* kAccepted =
    "Accepted are MLflow databases and mlruns folders, TensorBoard event files, W&B offline runs and CSV "
    "files.";

std::string reasons(const std::vector<SkippedItem>& skipped) {
    std::string why;
    for (const auto& entry : skipped) why += " " + entry.what + ": " + entry.why + ".";
    return why;
}

}  // namespace

std::string_view toText(SourceKind kind) {
    return kindOf(kind).text;
}

std::string_view displayName(SourceKind kind) {
    return kindOf(kind).name;
}

std::optional<SourceKind> sourceKind(std::string_view text) {
    for (std::size_t i = 0; i < kKinds.size(); ++i)
        if (kKinds[i].text == text) return static_cast<SourceKind>(i);
    return std::nullopt;
}

ImportedSource ImportSummary::total() const {
    ImportedSource sum;
    for (const auto& source : sources) {
        sum.runsAdded += source.runsAdded;
        sum.runsExtended += source.runsExtended;
        sum.runsUnchanged += source.runsUnchanged;
        sum.pointsAdded += source.pointsAdded;
    }
    return sum;
}

ImportSummary importFrom(tracking::Store& store, const fs::path& path, const ImportOptions& options,
                         const ProgressHandler& progress, std::stop_token stop) {
    const auto found = findSources(path, options.kinds, store.file(), stop);
    std::error_code problem;
    const fs::path source = fs::canonical(path, problem);
    ImportSink sink(store, source, options, progress, stop);
    sink.reportProgress(source.filename().string());
    if (found.sources.empty())
        throw InputError(path.string() + " holds no runs that can be imported." + reasons(found.skipped),
                         kAccepted);
    sink.addSkipped(found.skipped);
    for (const auto& entry : found.sources) {
        sink.begin(entry);
        kindOf(entry.kind).read(source, entry.places, sink);
    }
    const auto& summary = sink.summary();
    if (summary.total().runs() == 0)
        throw InputError("No runs were found in " + path.string() + "." + reasons(summary.skipped),
                         kAccepted);
    return summary;
}

}  // namespace dailies::exchange
