#include "ui/review/outputs/mlflow_sheets.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/store.h"
#include "core/video/webp.h"
#include "ui/review/contact_sheet.h"

#include <QBuffer>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace dailies::ui {

namespace {

namespace fs = std::filesystem;

constexpr int kSmallSide = 512;  ///< of the image that MLflow shows in its grid

/// The name that MLflow's `log_image` gives an image, without its ending.
std::string imageName(std::int64_t step) {
    return "clips+step+" + std::to_string(step) + "+timestamp+" + std::to_string(unixMillis()) + "+" +
           newId();
}

std::string pngBytes(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return bytes.toStdString();
}

video::Frame frameOf(const QImage& image) {
    const QImage rgb = image.convertToFormat(QImage::Format_RGB888);
    video::Frame frame{rgb.width(), rgb.height(), {}};
    const std::size_t rowBytes = std::size_t{3} * rgb.width();
    frame.rgb.resize(rowBytes * rgb.height());
    for (int y = 0; y < rgb.height(); ++y)
        std::memcpy(&frame.rgb[rowBytes * y], rgb.constScanLine(y), rowBytes);
    return frame;
}

std::vector<fs::path> sheetsIn(const fs::path& folder) {
    std::vector<fs::path> sheets;
    if (!fs::is_directory(folder)) return sheets;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().starts_with("clips+step+")) sheets.push_back(entry.path());
    return sheets;
}

/// The name without its ending of a sheet of this step that holds the same picture already; empty: none.
std::string sameSheet(const fs::path& folder, std::int64_t step, const std::string& png) {
    const auto front = "clips+step+" + std::to_string(step) + "+";
    for (const auto& file : sheetsIn(folder)) {
        const auto name = file.stem().string();
        if (name.starts_with(front) && file.extension() == ".png" &&
            fs::exists(folder / (name + "+compressed.webp")) && fs::file_size(file) == png.size() &&
            readFile(file) == png)
            return name;
    }
    return {};
}

/// One column of a scene, with the rows of which the run has a clip.
WallScene columnOf(const WallScene& scene, std::size_t column) {
    WallScene one = scene;
    one.columns = {scene.columns[column]};
    one.rows.clear();
    one.tiles.clear();
    for (std::size_t row = 0; row < scene.rows.size(); ++row) {
        const auto& tile = scene.tile(static_cast<int>(column), static_cast<int>(row));
        if (tile.step < 0) continue;
        one.rows.push_back(scene.rows[row]);
        one.tiles.push_back(tile);
    }
    return one;
}

struct SheetFiles {
    std::string png, webp;
};

SheetFiles drawSheet(const RunSheet& sheet, const std::stop_token& stop) {
    const QImage image = contactSheet(sheet.scene, QStringLiteral("step %1").arg(sheet.step),
                                      {.framesPerClip = 6, .frameWidth = 128}, stop);
    const bool large = image.width() > kSmallSide;
    const auto webp =
        video::encodeWebp(frameOf(large ? image.scaledToWidth(kSmallSide, Qt::SmoothTransformation) : image));
    if (!webp)
        throw Error("MLflow wants WebP images beside the sheets, and this machine's FFmpeg makes none.",
                    "Install an FFmpeg that was built with libwebp.");
    return {pngBytes(image), *webp};
}

}  // namespace

std::vector<RunSheet> runSheets(const ReviewData& data) {
    std::vector<RunSheet> sheets;
    WallArrangement arrangement;
    for (const auto& run : data.runs) arrangement.expanded.insert(run.id);
    for (const auto step : data.steps) {
        arrangement.step = step;
        const auto scene = makeScene(data, arrangement);
        for (std::size_t column = 0; column < scene.columns.size(); ++column) {
            auto one = columnOf(scene, column);
            const bool any = std::ranges::any_of(
                one.tiles, [&](const auto& tile) { return !tile.file.empty() && tile.step == step; });
            if (any) sheets.push_back({scene.columns[column].runId, step, std::move(one)});
        }
    }
    return sheets;
}

int addToMlflow(const std::vector<RunSheet>& sheets, const fs::path& storeFile,
                const OutputProgress& progress, const std::stop_token& stop) {
    tracking::Store store(storeFile);
    std::map<std::string, std::map<std::string, std::string>> files;  // by run, then by name
    std::map<std::string, std::set<std::string>> kept;
    const auto folderOf = [&](const std::string& runId) {
        return tracking::artifactRoot(storeFile) / runId / "images";
    };
    int done = 0, written = 0;
    for (const auto& sheet : sheets) {
        const auto [png, webp] = drawSheet(sheet, stop);
        const auto there = sameSheet(folderOf(sheet.runId), sheet.step, png);
        const auto name = there.empty() ? imageName(sheet.step) : there;
        kept[sheet.runId].insert({name + ".png", name + "+compressed.webp"});
        if (there.empty()) {
            files[sheet.runId][name + ".png"] = png;
            files[sheet.runId][name + "+compressed.webp"] = webp;
            ++written;
        }
        if (progress) progress(++done, static_cast<int>(sheets.size()));
    }
    for (const auto& [runId, names] : kept) {
        for (const auto& file : sheetsIn(folderOf(runId)))
            if (!names.contains(file.filename().string())) fs::remove(file);
        for (const auto& [name, bytes] : files[runId]) writeFileAtomically(folderOf(runId) / name, bytes);
        store.setTag(runId, "mlflow.loggedImages", "True");
    }
    return written;
}

}  // namespace dailies::ui
