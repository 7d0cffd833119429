#pragma once

#include "tests/ui/wait_until.h"
#include "ui/charts/charted_run.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QLabel>
#include <QTest>
#include <gtest/gtest.h>

namespace dailies::ui {

/// A panel that somebody sees, with these runs shown in it.
template <typename Panel>
struct OnShow {
    explicit OnShow(const ChartedRuns& runs, QSize size = {640, 400}) {
        Theme::instance().apply(ThemeMode::Light);
        panel.resize(size);
        panel.show();
        show(runs);
    }

    void show(const ChartedRuns& runs) {
        panel.setRuns(runs);
        settle();
    }
    void settle() {
        EXPECT_TRUE(waitUntil([&] { return panel.isSettled(); }, 20'000));
    }

    Panel panel;
};

/// All that the panel's labels say.
inline std::string shownText(const QWidget& panel) {
    std::string text;
    for (const auto* label : panel.findChildren<QLabel*>()) {
        if (label->isVisible()) {
            text += label->accessibleName().toStdString() + "\n" + label->text().toStdString() + "\n";
        }
    }
    return text;
}

inline std::string text(const QString& words) {
    return words.toStdString();
}

}  // namespace dailies::ui
