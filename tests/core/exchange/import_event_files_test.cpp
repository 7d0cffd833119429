#include "tests/core/exchange/exchange_fixture.h"
#include "tests/core/exchange/tracker_files.h"

namespace dailies::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using EventFiles = ExchangeTest;

TEST(Crc32c, IsThatOfTheStandard) {
    EXPECT_EQ(crc32c("123456789"), 0xE3069283U);            // the check value of CRC-32C
    EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);  // RFC 3720 B.4
    EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
}

TEST_F(EventFiles, EachFolderIsARunAndItsFilesFollowOneAnother) {
    write("logs/a/events.out.tfevents.1.host", scalarEvent(1, "loss", 0.5F) + scalarEvent(2, "loss", 0.25F));
    write("logs/a/events.out.tfevents.2.host", scalarEvent(3, "loss", 0.125F));
    write("logs/b/events.out.tfevents.1.host", scalarEvent(7, "loss", 1));
    const auto summary = import(place("logs"));
    EXPECT_EQ(summary.sources.at(0).kind, SourceKind::TensorBoard);
    EXPECT_EQ(summary.total().runsAdded, 2);
    EXPECT_THAT(values("a", "loss"), ElementsAre(0.5, 0.25, 0.125));
    EXPECT_THAT(steps("b", "loss"), ElementsAre(7));
    EXPECT_EQ(runNamed("a").experiment, "logs");
    EXPECT_EQ(import(place("logs")).total().pointsAdded, 0);
}

TEST_F(EventFiles, AFolderThatWasMovedIsStillTheSameRun) {
    write("logs/a/events.out.tfevents.1.host", scalarEvent(1, "loss", 0.5F));
    import(place("logs"));
    std::filesystem::create_directory(place("elsewhere"));
    std::filesystem::rename(place("logs/a"), place("elsewhere/a"));
    EXPECT_EQ(import(place("elsewhere")).total().runsAdded, 0);
}

/// What add_hparams of PyTorch writes into a folder of its own.
std::string hparams(double lr, const std::string& metric, float value) {
    const auto record = [](const std::string& tag, const tensorboard::HParamsData& data) {
        return event(0, [&](tensorboard::Event& message) {
            auto* entry = message.mutable_summary()->add_value();
            entry->set_tag("_hparams_/" + tag);
            entry->mutable_metadata()->mutable_plugin()->set_content(data.SerializeAsString());
        });
    };
    tensorboard::HParamsData start, end;
    (*start.mutable_session_start()->mutable_hparams())["lr"].set_number_value(lr);
    end.mutable_session_end()->set_status(1);
    return record("experiment", {}) + record("session_start_info", start) + record("session_end_info", end) +
           scalarEvent(0, metric, value);
}

TEST_F(EventFiles, TheFolderOfARunsHyperparametersBelongsToThatRun) {
    write("logs/a/events.out.tfevents.1.host", scalarEvent(1, "loss", 0.5F) + scalarEvent(2, "loss", 0.25F));
    write("logs/a/1700000009.5/events.out.tfevents.3.host", hparams(0.25, "hparam/accuracy", 0.75F));
    write("logs/b/events.out.tfevents.1.host", scalarEvent(1, "loss", 1));
    write("logs/b/trial/events.out.tfevents.3.host", hparams(0.5, "loss", 9));
    const auto summary = import(place("logs"));
    EXPECT_EQ(summary.total().runsAdded, 2);
    EXPECT_EQ(runNamed("a").params.at("lr"), "0.25");
    EXPECT_THAT(values("a", "hparam/accuracy"), ElementsAre(0.75));
    EXPECT_EQ(runNamed("b").params.at("lr"), "0.5");
    EXPECT_THAT(values("b", "loss"), ElementsAre(1)) << "a final value is no point of the curve at step 0";
    EXPECT_EQ(import(place("logs")).total().runsUnchanged, 2);
}

TEST_F(EventFiles, TrialsThatOneWriterLoggedAreRunsOfTheirOwn) {
    write("logs/events.out.tfevents.1.host", event(0, [](tensorboard::Event&) {}));
    write("logs/t1/events.out.tfevents.1.host", hparams(0.1, "hparam/accuracy", 0.5F));
    write("logs/t2/events.out.tfevents.2.host", hparams(0.2, "hparam/accuracy", 0.75F));
    EXPECT_EQ(import(place("logs")).total().runsAdded, 2);
    EXPECT_EQ(runNamed("t1").params.at("lr"), "0.1");
    EXPECT_EQ(runNamed("t2").params.at("lr"), "0.2");
}

TEST_F(EventFiles, ARunOfItsOwnBelowAnotherStaysOne) {
    write("logs/events.out.tfevents.1.host", scalarEvent(1, "loss", 0.5F));
    write("logs/child/events.out.tfevents.2.host",
          hparams(0.1, "hparam/accuracy", 0.5F) + scalarEvent(1, "loss", 1) + scalarEvent(2, "loss", 2));
    EXPECT_EQ(import(place("logs")).total().runsAdded, 2);
}

TEST_F(EventFiles, ATornEndGivesWhatIsWholeAndTheRestLater) {
    const auto whole = scalarEvent(1, "loss", 0.5F) + scalarEvent(2, "loss", 0.25F);
    const auto file = "logs/events.out.tfevents.1.host";
    for (const std::size_t cut : {std::size_t{1}, std::size_t{9}, std::size_t{20}}) {
        write(file, whole.substr(0, whole.size() - cut));
        const auto summary = import(place("logs"));
        ASSERT_EQ(summary.skipped.size(), 1u) << cut;
        EXPECT_THAT(summary.skipped[0].why, HasSubstr("in the middle of a record"));
    }
    EXPECT_THAT(values("logs", "loss"), ElementsAre(0.5));
    write(file, whole);
    EXPECT_THAT(import(place("logs")).skipped, IsEmpty());
    EXPECT_THAT(values("logs", "loss"), ElementsAre(0.5, 0.25));
}

TEST_F(EventFiles, ADamagedRecordEndsTheFileAndIsTold) {
    auto bytes =
        scalarEvent(1, "loss", 0.5F) + scalarEvent(2, "loss", 0.25F) + scalarEvent(3, "loss", 0.125F);
    bytes[bytes.size() / 2] ^= 1;
    write("logs/events.out.tfevents.1.host", bytes);
    const auto summary = import(place("logs"));
    EXPECT_THAT(summary.skipped[0].why, HasSubstr("checksum"));
    EXPECT_THAT(values("logs", "loss"), ElementsAre(0.5));
}

TEST_F(EventFiles, ALengthThatIsALieTakesNoMemory) {
    std::string lie(8, '\xFF');
    lie += eventRecord("")[0];
    write("logs/events.out.tfevents.1.host", scalarEvent(1, "loss", 0.5F) + lie);
    EXPECT_EQ(import(place("logs")).total().pointsAdded, 1);
}

TEST_F(EventFiles, ARestartForgetsTheStepsThatItRepeats) {
    write("logs/events.out.tfevents.1.host",
          scalarEvent(1, "loss", 1) + scalarEvent(2, "loss", 2) + scalarEvent(3, "loss", 3));
    write("logs/events.out.tfevents.2.host",
          event(2, [](tensorboard::Event& message) {
              message.mutable_session_log()->set_status(tensorboard::SessionLog::START);
          }) + scalarEvent(2, "loss", 20));
    import(place("logs"));
    EXPECT_THAT(values("logs", "loss"), ElementsAre(1, 20));
}

TEST_F(EventFiles, TensorsTextsAndHyperparametersComeInAndPicturesAreCounted) {
    const auto tensor = [](std::int64_t step, const std::string& tag, const std::string& plugin,
                           const std::function<void(tensorboard::Tensor&)>& fill) {
        return event(step, [&](tensorboard::Event& message) {
            auto* entry = message.mutable_summary()->add_value();
            entry->set_tag(tag);
            entry->mutable_metadata()->mutable_plugin()->set_name(plugin);
            fill(*entry->mutable_tensor());
        });
    };
    const auto bfloat16 = [](tensorboard::Tensor& t) { t.set_dtype(14), t.add_half_val(0x3FC0); };
    const auto half = [](tensorboard::Tensor& t) {
        t.set_dtype(19), t.set_content(std::string("\x00\xC1", 2));
    };
    const auto wide = [](tensorboard::Tensor& t) { t.set_dtype(2), t.add_double_val(0.1); };
    const auto list = [](tensorboard::Tensor& t) {
        t.set_dtype(1);
        t.mutable_shape()->add_dim()->set_size(2);
        t.add_float_val(1), t.add_float_val(2);
    };
    tensorboard::HParamsData hparams;
    (*hparams.mutable_session_start()->mutable_hparams())["lr"].set_number_value(0.25);
    (*hparams.mutable_session_start()->mutable_hparams())["name"].set_string_value("adam");
    (*hparams.mutable_session_start()->mutable_hparams())["ema"].set_bool_value(true);
    write("logs/events.out.tfevents.1.host",
          tensor(1, "b", "scalars", bfloat16) + tensor(1, "h", "scalars", half) + tensor(1, "w", "", wide) +
              tensor(1, "pair", "scalars", list) +
              tensor(1, "prompt/text_summary", "text",
                     [](tensorboard::Tensor& t) { t.set_dtype(7), t.add_string_val("a red square"); }) +
              event(1,
                    [&](tensorboard::Event& message) {
                        auto* entry = message.mutable_summary()->add_value();
                        entry->set_tag("_hparams_/session_start_info");
                        entry->mutable_metadata()->mutable_plugin()->set_content(hparams.SerializeAsString());
                    }) +
              event(1, [](tensorboard::Event& message) {
                  auto* entry = message.mutable_summary()->add_value();
                  entry->set_tag("frame");
                  entry->set_image("png");
              }));
    const auto summary = import(place("logs"));
    EXPECT_THAT(values("logs", "b"), ElementsAre(1.5));
    EXPECT_THAT(values("logs", "h"), ElementsAre(-2.5));
    EXPECT_THAT(values("logs", "w"), ElementsAre(0.1));
    const auto run = runNamed("logs");
    EXPECT_EQ(run.tags.at("prompt"), "a red square");
    EXPECT_EQ(run.params.at("lr"), "0.25");
    EXPECT_EQ(run.params.at("name"), "adam");
    EXPECT_EQ(run.params.at("ema"), "True");
    std::vector<std::string> left;
    for (const auto& entry : summary.skipped) left.push_back(entry.what);
    EXPECT_THAT(left, testing::UnorderedElementsAre("scalars", "images"));
}

}  // namespace
}  // namespace dailies::exchange
