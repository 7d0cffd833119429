#pragma once

#include "ui/theme/theme.h"

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QString>

class QBoxLayout;
class QTableView;
class QToolButton;

namespace dailies::ui {

enum class ButtonKind { Normal, Primary, Ghost, Danger };

QPushButton* makeButton(const QString& text, ButtonKind kind = ButtonKind::Normal,
                        const QString& iconName = {});
/// A square button with an icon alone; `name` is its tooltip and accessible name.
QToolButton* makeIconButton(const QString& iconName, const QString& name);

/// A rounded surface with a hairline.
QFrame* makeCard(QWidget* parent = nullptr);
/// The bar at the top of a page; all pages' bars are equally high.
QFrame* makePageBar();
/// A hairline that fills its layout's breadth.
QFrame* makeLine(Qt::Orientation orientation = Qt::Horizontal);

/// Makes a table a plain list of rows as all pages have them: a row is chosen whole, nothing is edited, the
/// last column takes the room that is left. `name` is what a screen reader calls it.
void configureRowList(QTableView& table, const QString& name);

/// A layout of these margins and this gap (values of the spacing scale).
QBoxLayout* makeRow(int spacing, QMargins margins = {});
QBoxLayout* makeColumn(int spacing, QMargins margins = {});

/// One line of text that ends in "…" when it does not fit; the whole text is its tooltip then.
class ElidedLabel : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(TextStyle style = TextStyle::Body, TextTone tone = TextTone::Normal,
                         QWidget* parent = nullptr);
    void setFullText(const QString& text);
    QSize sizeHint() const override;  ///< for the whole text, however much of it is shown
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void elide();
    QString m_full;
};

/// What a page shows when it has nothing: an icon, what is missing, and the way to get it.
class EmptyState : public QWidget {
    Q_OBJECT

public:
    EmptyState(const QString& iconName, const QString& title, const QString& text, QWidget* parent = nullptr);

    void setTexts(const QString& title, const QString& text);
    QPushButton* addAction(const QString& text, ButtonKind kind);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* m_icon;
    QLabel* m_title;
    QLabel* m_text;
    QBoxLayout* m_actions;
};

/// Remote text becomes a label: escape sequences and bidirectional overrides are made visible.
QString sanitized(const std::string& text);

}  // namespace dailies::ui
