#include "ui/bridge/write_store.h"

#include <QCoreApplication>

#include <map>

namespace dailies::ui {

namespace {

std::map<std::filesystem::path, tracking::Writer>& writers() {
    static std::map<std::filesystem::path, tracking::Writer> writers;
    return writers;
}

}  // namespace

tracking::Writer& storeWriter(const std::filesystem::path& file) {
    static const bool prepared = [] {
        qAddPostRoutine([] { writers().clear(); });
        return true;
    }();
    Q_UNUSED(prepared);
    return writers().try_emplace(file, file).first->second;
}

}  // namespace dailies::ui
