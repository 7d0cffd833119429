#pragma once

#include "core/judging/judgement_records.h"
#include "tests/core/tracking/store_fixture.h"

#include <gtest/gtest.h>

namespace dailies::judging {

/// A store with one run that made clips of two prompts at steps 100 and 200.
class JudgedStore : public tracking::StoreTest {
protected:
    JudgedStore() : m_store(file()), m_run(tracking::aRun()) {
        m_store.createRun(m_run);
        addClips(m_run.id, 0.5, 0.6);
    }

    void addClips(const std::string& runId, double adherenceBefore, double adherenceNow) {
        for (const std::int64_t step : {100, 200})
            for (const std::string prompt : {"cat", "dog"}) {
                auto event = clip(1, step, prompt);
                std::get<events::Clip>(event.payload).adherence =
                    step == 100 ? adherenceBefore : adherenceNow;
                m_store.ingest(runId, {event}, m_seq);
                m_store.setClipLocalPath(runId, pathOf(step, prompt),
                                         "/clips/" + runId + pathOf(step, prompt));
            }
    }

    static std::string pathOf(std::int64_t step, const std::string& prompt) {
        return "clips/step-" + std::to_string(step) + "/" + prompt + ".mp4";
    }
    ClipKey key(std::int64_t step, const std::string& prompt) const {
        return {m_run.id, pathOf(step, prompt)};
    }

    std::int64_t judge(const ClipKey& clip, ReviewAction action, const std::string& author = "ana") {
        return record(m_store, {clip, author, ++m_timeMs, std::move(action)});
    }

    std::string tagOf(const char* key) const {
        const auto run = m_store.run(m_run.id);
        const auto tag = run->tags.find(key);
        return tag == run->tags.end() ? "" : tag->second;
    }

    tracking::Store m_store;
    tracking::Run m_run;
    std::int64_t m_timeMs = 1'700'000'000'000;
};

}  // namespace dailies::judging
