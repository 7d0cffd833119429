#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/exchange/import.h"
#include "core/tracking/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::exchange {

/// A store to import into and a folder to import from.
class ExchangeTest : public testing::Test {
protected:
    std::filesystem::path place(const std::string& name) const { return m_folder.path() / name; }

    std::filesystem::path write(const std::string& name, std::string_view text) const {
        writeFileAtomically(place(name), text);
        return place(name);
    }

    ImportSummary import(const std::filesystem::path& source, const ImportOptions& options = {}) {
        return importFrom(m_store, source, options);
    }

    tracking::Run runNamed(const std::string& name) const {
        for (auto& run : m_store.runs())
            if (run.name == name) return run;
        throw std::runtime_error("no run " + name);
    }

    std::vector<double> values(const std::string& run, const std::string& key) const {
        std::vector<double> found;
        for (const auto& point : m_store.history(runNamed(run).id, key)) found.push_back(point.value);
        return found;
    }

    std::vector<std::int64_t> steps(const std::string& run, const std::string& key) const {
        std::vector<std::int64_t> found;
        for (const auto& point : m_store.history(runNamed(run).id, key)) found.push_back(point.step);
        return found;
    }

    TemporaryFolder m_folder{"dailies-exchange"};
    tracking::Store m_store{m_folder.path() / "store" / "dailies.db"};
};

/// What an `InputError` or `Error` says, with its remedy; empty when nothing is thrown.
template <class Work>
std::string complaint(Work&& work) {
    try {
        work();
        return {};
    } catch (const Error& error) {
        return error.full();
    }
}

}  // namespace dailies::exchange
