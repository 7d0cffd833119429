#include "core/exchange/sources/mlflow_run.h"

#include "core/base/ids.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/publish.h"

namespace dailies::exchange {

tracking::RunStatus mlflowStatus(std::string_view text) {
    using tracking::RunStatus;
    for (const auto status :
         {RunStatus::Scheduled, RunStatus::Running, RunStatus::Finished, RunStatus::Killed})
        if (text == tracking::toText(status)) return status;
    return RunStatus::Failed;
}

void resolveMlflowRun(tracking::Run& run, const std::string& sourceId) {
    const auto published = run.tags.find(kPublishedRunTag);
    run.id = published != run.tags.end() && isId(published->second) ? published->second
             : isId(sourceId)                                       ? sourceId
                                                                    : derivedRunId({"mlflow", sourceId});
    run.tags.erase(kPublishedRunTag);
    run.tags.erase(kPublishedStateTag);
    // MLflow before 1.30 kept the name in a tag alone
    if (const auto name = run.tags.find("mlflow.runName"); run.name.empty() && name != run.tags.end())
        run.name = name->second;
}

}  // namespace dailies::exchange
