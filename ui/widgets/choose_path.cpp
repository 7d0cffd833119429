#include "ui/widgets/choose_path.h"

#include <QFileDialog>

namespace dailies::ui {

namespace {

QFileDialog* makeDialog(QWidget& parent, const QString& title, const QString& filters, const QString& from) {
    auto* dialog = new QFileDialog(&parent, title, {}, filters);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!from.isEmpty()) dialog->selectFile(from);
    return dialog;
}

}  // namespace

void chooseFolder(QWidget& parent, const QString& title, const PathChosen& chosen, const QString& from) {
    auto* dialog = new QFileDialog(&parent, title, from);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
    dialog->open();
}

void chooseFile(QWidget& parent, const QString& title, const QString& filters, const PathChosen& chosen,
                const QString& from) {
    auto* dialog = makeDialog(parent, title, filters, from);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
    dialog->open();
}

void chooseFiles(QWidget& parent, const QString& title, const QString& filters,
                 const std::function<void(const QStringList&)>& chosen) {
    auto* dialog = makeDialog(parent, title, filters, {});
    dialog->setFileMode(QFileDialog::ExistingFiles);
    QObject::connect(dialog, &QFileDialog::filesSelected, &parent, chosen);
    dialog->open();
}

void chooseNewFile(QWidget& parent, const QString& title, const QString& filters, const PathChosen& chosen,
                   const QString& from, const QString& suffix) {
    auto* dialog = makeDialog(parent, title, filters, from);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
    dialog->open();
}

}  // namespace dailies::ui
