#include "trainer/cli/dataset_task.h"

#include "core/base/error.h"
#include "trainer/cli/job_options.h"
#include "trainer/cli/verbs.h"
#include "trainer/runtime/host_info.h"
#include "trainer/runtime/stop_signal.h"

#include <iostream>

namespace dailies::trainer {

void DatasetTask::begin(Json facts) {
    m_log.append(
        events::Start{DAILIES_VERSION, hostName(), 1, slurmJob(), slurmRestarts(), std::move(facts)});
}

void DatasetTask::count(std::int64_t step, std::map<std::string, double> values) {
    m_step = step;
    m_pacer.restart();
    m_log.append(events::Metrics{step, std::move(values)});
}

void DatasetTask::end(const std::string& status, const std::string& why) {
    m_log.append(events::End{status, m_step, why});
}

int runDatasetTask(const std::string& verb, const std::filesystem::path& jobFile, const Json& facts,
                   const std::string& kept, const std::function<TaskEnd(DatasetTask&)>& work) {
    installStopSignals();
    requireOneProcess(verb);
    DatasetTask task(std::filesystem::absolute(jobFile).parent_path());
    task.begin(facts);
    try {
        const auto end = work(task);
        task.tell(end.summary);
        task.end(end.failure.empty() ? "finished" : "failed", end.failure);
        std::cout << end.summary << std::flush;
        return end.failure.empty() ? kDone : kFailed;
    } catch (const Cancelled&) {
        task.end("stopped", "Ended by " + stopSignalName() + ". " + kept);
        return kDone;
    } catch (const std::exception& error) {
        task.end("failed", messageOf(error));
        return report(error);
    }
}

int runDatasetVerb(const std::string& verb, const std::string& kept, const std::function<TaskEnd()>& work) {
    installStopSignals();
    requireOneProcess(verb);
    try {
        const auto end = work();
        std::cout << end.summary << std::flush;
        return end.failure.empty() ? kDone : kFailed;
    } catch (const Cancelled&) {
        std::cerr << "dailies-train: " << verb << " was ended by " << stopSignalName() << ". " << kept
                  << " The same command goes on.\n";
        return kFailed;
    }
}

StopOnSignal::StopOnSignal()
    : m_watcher([this](const std::stop_token& done) {
          constexpr std::chrono::milliseconds kLookEvery(50);
          while (!done.stop_requested() && !stopRequested()) std::this_thread::sleep_for(kLookEvery);
          if (stopRequested()) m_stop.request_stop();
      }) {}

}  // namespace dailies::trainer
