#pragma once

#include "core/base/error.h"
#include "core/tracking/store.h"

#include <QWidget>

#include <filesystem>
#include <map>
#include <string>

class QCheckBox;
class QLineEdit;
class QPushButton;
class QStackedLayout;
class QTableWidget;

namespace dailies::ui {

class EmptyState;

/// The run's tags: added, changed in place and removed. Those that Dailies and MLflow keep for themselves are
/// shown on request and cannot be changed here.
class TagsTab : public QWidget {
    Q_OBJECT

public:
    explicit TagsTab(std::filesystem::path storeFile, QWidget* parent = nullptr);
    void setRun(const tracking::Run& run);

    void put(const std::string& key, const std::string& value);
    void remove(const std::string& key);
    QTableWidget& table() { return *m_table; }

signals:
    void changed();  ///< the store holds other tags now
    void failed(const dailies::Error& error);

private:
    void refill();
    void addTyped();
    void removeCurrent();

    std::filesystem::path m_storeFile;
    std::string m_runId;
    std::map<std::string, std::string> m_tags;
    bool m_filling = false;
    QStackedLayout* m_body;  ///< the table, or what it says when there is nothing in it
    QTableWidget* m_table;
    EmptyState* m_nothing;
    QLineEdit* m_key;
    QLineEdit* m_value;
    QPushButton* m_add;
    QPushButton* m_remove;
    QCheckBox* m_system;
};

}  // namespace dailies::ui
