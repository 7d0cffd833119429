#include "ui/widgets/choose_folder.h"

#include <QFileDialog>

namespace dailies::ui {

void chooseFolder(QWidget& parent, const QString& title, const std::function<void(const QString&)>& chosen,
                  const QString& from) {
    auto* dialog = new QFileDialog(&parent, title, from);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    QObject::connect(dialog, &QFileDialog::fileSelected, &parent, chosen);
    dialog->open();
}

}  // namespace dailies::ui
