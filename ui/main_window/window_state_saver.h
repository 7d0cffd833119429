#pragma once

#include "ui/main_window/options.h"

#include <QList>
#include <QObject>
#include <QRect>
#include <QTimer>

#include <functional>
#include <map>
#include <string>
#include <vector>

class QMainWindow;

namespace dailies::ui {

/// How a person left the window.
struct WindowState {
    QRect place;  ///< when it is not maximised; empty: never opened
    bool maximized = false;
    Page page = Page::Runs;                         ///< one of the navigation
    std::map<std::string, std::vector<int>> sizes;  ///< of splitters, columns, tiles
    bool operator==(const WindowState&) const = default;
};

/// The nearest place that is all on one of these screens: `wanted` as it is when it fits.
QRect clampToScreens(const QRect& wanted, const QList<QRect>& screens);

/// Puts the window back to how it was left and tells, a moment after each change, how it is now.
class WindowStateSaver : public QObject {
    Q_OBJECT

public:
    WindowStateSaver(QMainWindow& window, WindowState state, std::function<void(const WindowState&)> keep);
    /// What was changed last is kept, too.
    ~WindowStateSaver() override;

    const WindowState& state() const { return m_state; }
    /// Size and place, before it is shown; without a remembered one, `first` in the middle of the screen.
    void restoreWindow(const QSize& first);
    /// Restores the splitters and columns of a page that was just made, and watches them.
    void watch(QWidget& page);
    void setPage(Page page);
    /// Sizes that a page remembers under a name of its own; empty: nobody chose any.
    std::vector<int> sizesOf(const std::string& name) const;
    void setSizes(const std::string& name, std::vector<int> sizes);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void readPlace();
    void changed();
    void keepNow();

    QMainWindow& m_window;
    WindowState m_state;
    WindowState m_kept;
    std::function<void(const WindowState&)> m_keep;
    QTimer m_later;
};

}  // namespace dailies::ui
