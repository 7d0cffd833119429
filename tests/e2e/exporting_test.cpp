#include "tests/e2e/sandbox_with_trainer.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>

#include <cstdlib>

// The weights that made a clip, brought here for Python.

namespace {

using namespace dailies;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Exporting : public test::SandboxWithTrainer {};

TEST_F(Exporting, TheWeightsOfACheckpointArriveAsTheTrainerExportsThem) {
    const auto trained = train("tiny", "optimizer.lr: {values: [0.01]}", "steps: 20");
    ASSERT_EQ(trained.status, 0) << trained.err;
    const auto to = s_home->path() / "weights";
    const std::vector<std::string> words = {"export-checkpoint", runId(trained), "--checkpoint", "20", "--to",
                                            to.string()};
    const auto exported = s_dailies->run(words);
    ASSERT_EQ(exported.status, 0) << exported.err;
    EXPECT_THAT(exported.err, HasSubstr("Copying model.safetensors, 100 %"));
    const fs::path here(trim(exported.out));
    EXPECT_EQ(here.parent_path(), to);

    const fs::path run = store().run(runId(trained))->tags.at(tracking::tag::kFolder);
    const auto direct = s_home->path() / "direct.safetensors";
    const auto command = shellQuote(DAILIES_BINARY_FOLDER "/dailies-train") + " export " +
                         shellQuote((run / "checkpoints/step-000000020").string()) + " " +
                         shellQuote(direct.string()) + " >/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(readFile(here / "model.safetensors"), readFile(direct));

    const auto written = fs::last_write_time(run / "exports/step-20/model.safetensors");
    fs::remove(here / "model.safetensors");
    ASSERT_EQ(s_dailies->run(words).status, 0);
    EXPECT_TRUE(fs::exists(here / "model.safetensors"));
    EXPECT_EQ(fs::last_write_time(run / "exports/step-20/model.safetensors"), written)
        << "what was exported is not exported again";

    const auto missing =
        s_dailies->run({"export-checkpoint", runId(trained), "--checkpoint", "15", "--to", to.string()});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("It has those of steps 10, 20."));
    fs::remove(run / "checkpoints/step-000000010/manifest.json");
    const auto gone =
        s_dailies->run({"export-checkpoint", runId(trained), "--checkpoint", "10", "--to", to.string()});
    EXPECT_EQ(gone.status, 2);
    EXPECT_THAT(gone.err, HasSubstr("is on the cluster any more"));
}

}  // namespace
