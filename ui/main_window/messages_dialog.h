#pragma once

#include <QColor>
#include <QDialog>
#include <QString>

#include <vector>

namespace dailies::ui {

/// What was told in a corner of the window, kept so that it can be read after it has left.
struct KeptMessage {
    qint64 timeMs = 0;
    QString title;
    QString text = {};
    bool failure = false;
};

/// The messages of this session, newest first; their text can be selected and copied. Deletes itself when it
/// closes.
class MessagesDialog : public QDialog {
    Q_OBJECT

public:
    MessagesDialog(const std::vector<KeptMessage>& messages, QWidget* parent);

signals:
    void logRequested();  ///< they do not say enough
};

}  // namespace dailies::ui
