// TensorBoard's event files, as torch, tensorboardX, Lightning, accelerate and TensorFlow write them.
#include "core/sources/event_reader.h"
#include "core/sources/path_names.h"
#include "core/sources/reader.h"
#include "core/sources/registry.h"
#include "core/sources/tfrecord.h"

#include <string>

namespace dailies::sources {

namespace {

constexpr const char* kPlugins = "plugins";

EventReader::Plugins pluginsOf(const Json& state) {
    EventReader::Plugins plugins;
    if (const auto known = state.find(kPlugins); known != state.end() && known->is_object())
        for (const auto& [tag, plugin] : known->items())
            if (plugin.is_string()) plugins[tag] = plugin.get<std::string>();
    return plugins;
}

class TensorBoard : public Source {
public:
    std::string_view name() const override { return "TensorBoard"; }

    std::string_view delay() const override {
        return "PyTorch's and TensorBoard's own writers have each value in the file at once; tensorboardX "
               "and "
               "TensorFlow flush theirs every 2 minutes.";
    }

    /// Of the videos that lie in the event files: where they would be.
    std::string_view mediaFolder() const override { return "tensorboard_videos/"; }

    bool recognizes(std::string_view path) const override {
        return fileNameOf(path).find("tfevents") != std::string_view::npos;
    }

protected:
    void readRecords(Reader& reader) const override {
        const auto known = pluginsOf(reader.state());
        EventReader events(known);
        // the rest of a file that does nothing but begin again waits for the next reading
        constexpr std::size_t kMostVoids = 100;
        while (reader.out().voids() < kMostVoids && !reader.passesOver()) {
            const auto record = readTfRecord(reader.rest());
            const auto place = [&] { return "byte " + std::to_string(reader.offset()); };
            if (record.size > static_cast<std::uint64_t>(kLongestRecord)) {
                reader.problem("long records",
                               "a record at " + place() + " is longer than 4 MiB and is not read.");
                reader.passOver(record.size);
                continue;
            }
            if (record.kind == TfRecord::Kind::Partial) break;
            if (record.kind == TfRecord::Kind::Damaged && reader.endsInZeros()) break;
            if (record.kind == TfRecord::Kind::Damaged || !events.read(record.data, reader.out())) {
                reader.stop("damage", "the record at " + place() +
                                          " is damaged (its checksum does not fit); the file is not read "
                                          "any further.");
                break;
            }
            reader.consume(static_cast<std::size_t>(record.size));
        }
        if (events.plugins() != known) reader.state()[kPlugins] = events.plugins();
    }
};

}  // namespace

const Source& tensorBoard() {
    static const TensorBoard source;
    return source;
}

}  // namespace dailies::sources
