#pragma once

#include <QPlainTextEdit>

namespace dailies::ui {

/// The caption of the selected clip, to read and to write. Return, and leaving it, keeps what was written;
/// Esc takes it back. GUI thread only.
class CaptionField : public QPlainTextEdit {
    Q_OBJECT

public:
    explicit CaptionField(QWidget* parent = nullptr);

    /// `why`: shown where there is no caption.
    void showCaption(const QString& caption, const QString& why);
    /// Nothing is selected.
    void showNone();

signals:
    void written(const QString& caption);
    void left();  ///< by a key, and the wall wants the focus

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void keep();

    QString m_shown;
};

}  // namespace dailies::ui
