#pragma once

#include "core/base/error.h"
#include "ui/runs/view_state.h"

#include <QToolButton>

#include <filesystem>
#include <functional>
#include <map>
#include <string>

class QMenu;

namespace dailies::ui {

/// The saved views of the run table: a menu to choose, save, update, rename and delete them. Keeps them in
/// the store, together with the arrangement as it was left, which comes back at the next start.
class ViewsButton : public QToolButton {
    Q_OBJECT

public:
    using Views = std::map<std::string, ViewState>;

    /// `current` tells what a view saved now would hold.
    ViewsButton(std::filesystem::path storeFile, std::function<ViewState()> current,
                QWidget* parent = nullptr);

    /// The views of the store, as `readViews` found them.
    void setViews(Views views);
    const Views& views() const { return m_views; }
    /// The arrangement changed: it is kept a moment later, and the button says when the named view is no
    /// longer what is shown.
    void stateChanged();
    /// Why nothing can be saved; empty when it can.
    void setReadOnly(const QString& why);

    void saveAs(const std::string& name);
    void choose(const std::string& name);
    void rename(const std::string& from, const std::string& to);
    void remove(const std::string& name);

signals:
    void chosen(const dailies::ui::ViewState& state);
    void failed(const dailies::Error& error);

private:
    void rebuildMenu();
    void askName(const QString& title, const std::string& proposal, std::function<void(std::string)> done);
    void keepLast();
    void put(const std::string& name, const ViewState& state);
    void showName();

    std::filesystem::path m_storeFile;
    std::function<ViewState()> m_current;
    Views m_views;
    std::string m_name;  ///< of the view that was chosen or saved last; empty: none
    QString m_readOnly;
    QMenu* m_menu;
    class QTimer* m_later;
    ViewState m_kept;  ///< as the store has it
};

}  // namespace dailies::ui

namespace dailies::tracking {
class Store;
}

namespace dailies::ui {

struct StoredViews {
    ViewsButton::Views named;
    ViewState last;  ///< as the page was left
};
/// Not for the GUI thread.
StoredViews readViews(const tracking::Store& store);

}  // namespace dailies::ui
