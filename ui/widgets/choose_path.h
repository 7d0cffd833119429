#pragma once

#include <QString>
#include <QStringList>

#include <functional>

class QWidget;

namespace dailies::ui {

// Ask for something on this machine, and call `chosen` with it unless the question is dismissed or `parent`
// is gone. Return at once. `filters`: as QFileDialog has them, "Sweep files (*.yaml)"; empty: all files.
// `from`: where the question begins; empty: the working folder.

using PathChosen = std::function<void(const QString&)>;

void chooseFolder(QWidget& parent, const QString& title, const PathChosen& chosen, const QString& from = {});
void chooseFile(QWidget& parent, const QString& title, const QString& filters, const PathChosen& chosen,
                const QString& from = {});
void chooseFiles(QWidget& parent, const QString& title, const QString& filters,
                 const std::function<void(const QStringList&)>& chosen);
/// One to write. The question itself asks again before an old one is chosen. `suffix`: of names that are
/// typed without one.
void chooseNewFile(QWidget& parent, const QString& title, const QString& filters, const PathChosen& chosen,
                   const QString& from = {}, const QString& suffix = {});

}  // namespace dailies::ui
