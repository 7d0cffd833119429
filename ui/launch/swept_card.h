#pragma once

#include <QFrame>

#include <vector>

class QVBoxLayout;

namespace dailies::ui {

class FieldEditor;

/// The rows of the keys that vary, at the top of the form: pinned here for as long as they do. Where each
/// came from, a line says where it went.
class SweptCard : public QFrame {
    Q_OBJECT

public:
    explicit SweptCard(QWidget* parent = nullptr);

    /// The line that the row left where it came from; null: it is not here.
    QWidget* placeholderOf(const FieldEditor* editor) const;
    /// Takes the row out of `home`, or gives it back to its place there.
    void pin(FieldEditor* editor, QVBoxLayout* home);
    void unpin(FieldEditor* editor);

signals:
    /// Somebody follows the line that a row left behind.
    void followed(dailies::ui::FieldEditor* editor);

private:
    struct Pinned {
        FieldEditor* editor;
        QWidget* placeholder;
        QVBoxLayout* home;
    };

    QVBoxLayout* m_column;
    std::vector<Pinned> m_pinned;
};

}  // namespace dailies::ui
