#pragma once

#include "core/base/error.h"
#include "core/tracking/run_color.h"
#include "core/tracking/store.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <string>
#include <vector>

namespace dailies::ui {

class RunTableModel;

/// What a person does to runs from the table, written to the store off the GUI thread.
class RunActions : public QObject {
    Q_OBJECT

public:
    explicit RunActions(std::filesystem::path storeFile, QObject* parent = nullptr);

    /// Why nothing can be written; empty when it can.
    void setReadOnly(const QString& why) { m_readOnly = why; }
    const QString& readOnly() const { return m_readOnly; }

    /// Takes the runs out of the lists (MLflow's "delete"); `restore` brings them back.
    void archive(const std::vector<std::string>& runIds);
    void restore(const std::vector<std::string>& runIds);
    /// For ever. `purged` with what it freed.
    void purge(const std::vector<std::string>& runIds);
    void setTag(const std::vector<std::string>& runIds, const std::string& key, const std::string& value);
    /// Keeps the colours that are not in the store yet; quietly, for they are found again if it fails.
    void storeColors(std::vector<tracking::RunColor> colors);
    void removeTag(const std::vector<std::string>& runIds, const std::string& key);
    bool busy() const { return m_pendingWrites > 0; }

signals:
    void archived(const std::vector<std::string>& runIds);
    void restored(const std::vector<std::string>& runIds);
    void purged(const dailies::tracking::PurgeResult& freed);
    void purgeFailed(const dailies::Error& error);
    void tagged(const std::vector<std::string>& runIds);
    void failed(const dailies::Error& error);

private:
    template <typename Work, typename Done>
    void write(Work work, Done done);
    std::filesystem::path m_storeFile;
    QString m_readOnly;
    int m_pendingWrites = 0;
};

/// The rows of these runs as the table shows them, tab-separated with the titles first, for a spreadsheet.
/// Numbers are whole, not as short as on the screen; tabs and line ends within a value become blanks.
QString rowsAsTsv(const RunTableModel& model, const std::vector<std::string>& runIds);

}  // namespace dailies::ui
