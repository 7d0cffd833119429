#include "tests/core/exchange/exchange_fixture.h"

#include <proto/wandb_record.pb.h>
#include <zlib.h>

namespace dailies::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// LevelDB's log format as W&B has it, written apart from the reader.
class WandbFile {
public:
    void add(const wandb::Record& record) {
        std::string data = record.SerializeAsString();
        bool first = true;
        do {
            const auto left = 32'768 - m_bytes.size() % 32'768;
            if (left < 7) {
                m_bytes.append(left, '\0');
                continue;
            }
            const auto chunk = data.substr(0, left - 7);
            data.erase(0, chunk.size());
            const bool last = data.empty();
            const char type = first ? (last ? 1 : 2) : (last ? 4 : 3);
            const auto checked = type + chunk;
            const auto crc = static_cast<std::uint32_t>(
                crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
            const auto length = static_cast<std::uint16_t>(chunk.size());
            m_bytes.append(reinterpret_cast<const char*>(&crc), 4);
            m_bytes.append(reinterpret_cast<const char*>(&length), 2);
            m_bytes += checked;
            first = false;
        } while (!data.empty());
    }

    void addRun(const std::string& id, const std::string& project) {
        wandb::Record record;
        record.mutable_run()->set_run_id(id);
        record.mutable_run()->set_project(project);
        record.mutable_run()->mutable_start_time()->set_seconds(1'700'000'000);
        add(record);
    }

    void addRow(std::int64_t step, const std::string& json) {
        wandb::Record record;
        auto* item = record.mutable_history()->add_item();
        item->add_nested_key("loss");
        item->set_value_json(json);
        record.mutable_history()->mutable_step()->set_num(step);
        add(record);
    }

    void addExit(int code) {
        wandb::Record record;
        record.mutable_exit()->set_exit_code(code);
        add(record);
    }

    const std::string& bytes() const { return m_bytes; }

private:
    std::string m_bytes{":W&B\xE1\xBE\x00", 7};
};

using WandbImport = ExchangeTest;

TEST_F(WandbImport, ARunThatWentOnInASecondFolderIsOneRun) {
    WandbFile first, second;
    first.addRun("abc123", "dreams");
    for (int step = 0; step < 3; ++step) first.addRow(step, "0.5");
    second.addRun("abc123", "dreams");
    for (int step = 3; step < 5; ++step) second.addRow(step, "0.25");
    second.addExit(0);
    write("wandb/offline-run-20260101_000000-abc123/run-abc123.wandb", first.bytes());
    EXPECT_EQ(import(place("wandb")).runsAdded, 1);
    EXPECT_EQ(runNamed("abc123").status, tracking::RunStatus::Killed) << "it stopped without saying so";
    write("wandb/offline-run-20260102_000000-abc123/run-abc123.wandb", second.bytes());
    const auto summary = import(place("wandb"));
    EXPECT_EQ(summary.runsAdded, 0);
    EXPECT_EQ(summary.pointsAdded, 2);
    EXPECT_THAT(steps("abc123", "loss"), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(WandbImport, RecordsThatCrossBlocksAreReadWhole) {
    WandbFile file;
    file.addRun("long", "p");
    wandb::Record config;
    auto* item = config.mutable_config()->add_update();
    item->set_key("prompt");
    item->set_value_json("\"" + std::string(100'000, 'x') + "\"");
    file.add(config);
    for (int step = 0; step < 5'000; ++step) file.addRow(step, std::to_string(step));
    import(write("run-long.wandb", file.bytes()));
    EXPECT_EQ(runNamed("long").params.at("prompt").size(), 100'000u);
    EXPECT_EQ(values("long", "loss").size(), 5'000u);
    EXPECT_EQ(values("long", "loss").back(), 4'999);
}

TEST_F(WandbImport, ACutFileGivesWhatIsWholeAndADamagedOneSaysSo) {
    WandbFile file;
    file.addRun("cut", "p");
    for (int step = 0; step < 10; ++step) file.addRow(step, "1");
    auto summary = import(write("run-cut.wandb", file.bytes().substr(0, file.bytes().size() - 5)));
    EXPECT_EQ(summary.pointsAdded, 9);
    EXPECT_THAT(summary.leftOut.at(0).why, HasSubstr("in the middle of a record"));
    auto bytes = file.bytes();
    bytes[bytes.size() - 60] ^= 1;
    summary = import(write("run-cut.wandb", bytes));
    EXPECT_THAT(summary.leftOut.at(0).why, HasSubstr("checksum"));
}

TEST_F(WandbImport, NumbersThatAreNoneAndNestedValuesComeIn) {
    WandbFile file;
    file.addRun("odd", "p");
    file.addRow(0, "NaN");
    file.addRow(1, "-Infinity");
    file.addRow(2, "{\"inner\": Infinity, \"name\": \"NaN inside\"}");
    file.addRow(3, "true");
    import(write("run-odd.wandb", file.bytes()));
    EXPECT_THAT(values("odd", "loss"), ElementsAre(testing::NanSensitiveDoubleEq(NAN), -INFINITY, 1));
    EXPECT_THAT(values("odd", "loss.inner"), ElementsAre(INFINITY));
}

TEST_F(WandbImport, TheReadableFilesOfOlderClientsComeInToo) {
    const std::string run = "wandb/offline-run-20200101_000000-old1/files/";
    write(run + "config.yaml",
          "_wandb:\n  value: {cli_version: 0.8.0}\nlr:\n  desc: rate\n  value: 0.001\nopt:\n  value:\n    "
          "name: adam\n");
    write(run + "wandb-history.jsonl",
          "{\"loss\": 0.5, \"_step\": 0, \"_timestamp\": 1577836800.5}\n"
          "{\"loss\": NaN, \"_step\": 10, \"_timestamp\": 1577836801.0}\n"
          "{\"loss\": 0.1, \"_st");
    write(run + "wandb-summary.json", "{\"loss\": 0.1, \"best\": 0.05}");
    write(run + "wandb-metadata.json", "{\"host\": \"node1\", \"git\": {\"commit\": \"abc\"}}");
    const auto summary = import(place("wandb"));
    EXPECT_EQ(summary.runsAdded, 1);
    const auto found = runNamed("old1");
    EXPECT_THAT(steps("old1", "loss"), ElementsAre(0, 10));
    EXPECT_THAT(values("old1", "best"), ElementsAre(0.05));
    EXPECT_EQ(found.params.at("lr"), "0.001");
    EXPECT_EQ(found.params.at("opt.name"), "adam");
    EXPECT_FALSE(found.params.contains("_wandb.cli_version"));
    EXPECT_EQ(found.tags.at("wandb.host"), "node1");
    EXPECT_EQ(found.startMs, 1'577'836'800'500);
    EXPECT_EQ(summary.leftOut.size(), 1u) << "the torn last line";
}

}  // namespace
}  // namespace dailies::exchange
