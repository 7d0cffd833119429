#include "remote/cluster/workspace_script.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace dailies::remote {

void runInWorkspace(Cluster& cluster, const std::string& failure, const std::string& script,
                    std::stop_token stop) {
    const auto done = cluster.session().run(script, stop);
    if (done.ok()) return;
    throw Error(
        failure + " on cluster '" + cluster.profile().name + "': " + sanitizedText(trim(done.err)) + ".",
        "Check that the workspace " + cluster.workspace() + " is writable and within its quota.");
}

}  // namespace dailies::remote
