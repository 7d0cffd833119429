#pragma once

#include <QColor>
#include <QFrame>
#include <QString>

#include <vector>

class QBoxLayout;
class QGraphicsEffect;
class QPushButton;

namespace dailies::ui {

class ElidedLabel;

/// One message: its icon, its words and its buttons; as a card that wraps them, or flat, in one line.
class ToastCard : public QFrame {
    Q_OBJECT

public:
    struct Look {
        QString iconName;
        QColor color;
        bool strong = false;
    };

    ToastCard(const Look& look, const QString& title, const QString& text, QWidget* parent);

    QPushButton* addButton(const QString& text);
    void setFlat(bool flat);

signals:
    void dismissed();

private:
    bool m_flat = false;
    QBoxLayout* m_row;
    QBoxLayout* m_words;
    QBoxLayout* m_buttons = nullptr;
    ElidedLabel* m_line;              ///< all of the words, where there is one line
    std::vector<QWidget*> m_wrapped;  ///< the same, where there are several
    QGraphicsEffect* m_shadow;
};

}  // namespace dailies::ui
