#include "core/log/log.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

// What the log says of a real Slurm at its most detailed, and that no job script's secret is in it.

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using testing::Not;

using SlurmLogTest = SandboxTest;

TEST_F(SlurmLogTest, NamesCallsJobsAndSilenceAndNoSecretOfAScript) {
    const TemporaryFolder folder("slurm-log");
    const log::LogFile file{.path = folder.path() / "dailies.log"};
    const log::Writer writer(log::Level::Debug, file);
    auto cluster = connect();
    const auto id = cluster.scheduler().submit(
        "#!/bin/sh\n#SBATCH --output=/dev/null --mem=50M\nexport HF_TOKEN=hf_CanaryCanaryCanary01234\n"
        "export ANYTHING='canary value'\nsleep 300\n",
        "logged");
    cluster.scheduler().poll({id});
    EXPECT_THROW(cluster.scheduler().submit("#!/bin/sh\n#SBATCH -p nowhere\n: canary\n", "refused"), Error);
    cluster.scheduler().cancel({id});
    stopController(cluster);
    EXPECT_THROW(cluster.scheduler().poll({id}), Error);
    startController(cluster);
    log::flush();
    const auto text = log::lastLines(file, 1000);
    for (const std::string& part :
         std::vector<std::string>{"info slurm: job " + id + " has the comment logged",
                                  std::string(" s: sinfo -h -e -o"), " s: squeue -h -r -t all -j " + id,
                                  "warning slurm: sbatch refused the job: ", "info slurm: scancel " + id,
                                  std::string("warning slurm: squeue: Unable to contact slurm controller")})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_THAT(text, Not(HasSubstr("anary")));
}

}  // namespace
}  // namespace dailies::remote
