#include "ui/widgets/widgets.h"

#include "core/base/text.h"
#include "ui/theme/icons.h"

#include <QBoxLayout>
#include <QHeaderView>
#include <QPainter>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kTextWidth = 420;
constexpr int kWidestHint = 640;  ///< of a text that is cut anyway: no dialog grows to it

/// An icon that is painted anew on every repaint, so that it follows the theme.
class IconView : public QWidget {
public:
    IconView(const QString& name, int size) : m_icon(icon(name)) { setFixedSize(size, size); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        m_icon.paint(&painter, rect());
    }

private:
    QIcon m_icon;
};

}  // namespace

QPushButton* makeButton(const QString& text, ButtonKind kind, const QString& iconName) {
    auto* button = new QPushButton(text);
    static constexpr const char* kVariants[] = {"", "primary", "ghost", "danger"};
    button->setProperty("variant", QLatin1String(kVariants[static_cast<int>(kind)]));
    if (!iconName.isEmpty()) {
        button->setIcon(kind == ButtonKind::Primary ? icon(iconName, Qt::white) : icon(iconName));
        button->setIconSize({16, 16});
    }
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QToolButton* makeIconButton(const QString& iconName, const QString& name) {
    auto* button = new QToolButton;
    button->setIcon(icon(iconName));
    button->setIconSize({18, 18});
    button->setFixedSize(kControlHeight, kControlHeight);
    button->setToolTip(name);
    button->setAccessibleName(name);
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QFrame* makeCard(QWidget* parent) {
    auto* card = new QFrame(parent);
    card->setProperty("card", true);
    return card;
}

QFrame* makePageBar() {
    auto* bar = new QFrame;
    bar->setProperty("bar", true);
    bar->setFixedHeight(kControlHeight + 2 * space::k12 + 1);
    return bar;
}

QFrame* makeLine(Qt::Orientation orientation) {
    auto* line = new QFrame;
    line->setProperty("line", true);
    if (orientation == Qt::Horizontal) {
        line->setFixedHeight(1);
    } else {
        line->setFixedWidth(1);
    }
    return line;
}

void configureRowList(QTableView& table, const QString& name) {
    table.setAccessibleName(name);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setShowGrid(false);
    table.setTabKeyNavigation(false);
    table.setFrameShape(QFrame::NoFrame);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(kRowHeight);
    auto* header = table.horizontalHeader();
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setFont(Theme::font(TextStyle::Caption));
    header->setHighlightSections(false);
    header->setStretchLastSection(true);
}

QBoxLayout* makeRow(int spacing, QMargins margins) {
    auto* layout = new QHBoxLayout;
    layout->setSpacing(spacing);
    layout->setContentsMargins(margins);
    return layout;
}

QBoxLayout* makeColumn(int spacing, QMargins margins) {
    auto* layout = new QVBoxLayout;
    layout->setSpacing(spacing);
    layout->setContentsMargins(margins);
    return layout;
}

ElidedLabel::ElidedLabel(TextStyle style, TextTone tone, QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setFont(Theme::font(style));
    setTone(this, tone);
}

void ElidedLabel::setFullText(const QString& text) {
    m_full = text;
    setAccessibleName(text);
    elide();
    updateGeometry();
}

QSize ElidedLabel::sizeHint() const {
    const QMargins margins = contentsMargins();
    const int text = std::min(kWidestHint, fontMetrics().horizontalAdvance(m_full) + 1);
    return {text + margins.left() + margins.right(), QLabel::sizeHint().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 4, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::elide() {
    const QString shown = fontMetrics().elidedText(m_full, Qt::ElideRight, std::max(width(), 1));
    setText(shown);
    setToolTip(shown == m_full ? QString() : m_full);
}

EmptyState::EmptyState(const QString& iconName, const QString& title, const QString& text, QWidget* parent)
    : QWidget(parent),
      m_title(makeLabel({}, TextStyle::Title)),
      m_text(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_actions(makeRow(space::k8)) {
    auto* column = makeColumn(space::k8, {space::k24, space::k24, space::k24, space::k24});
    setLayout(column);
    m_title->setAlignment(Qt::AlignCenter);
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setWordWrap(true);
    m_text->setFixedWidth(kTextWidth);
    column->addStretch(2);
    m_icon = new IconView(iconName, 40);
    column->addWidget(m_icon, 0, Qt::AlignCenter);
    column->addSpacing(space::k8);
    column->addWidget(m_title, 0, Qt::AlignCenter);
    column->addWidget(m_text, 0, Qt::AlignCenter);
    column->addSpacing(space::k8);
    m_actions->insertStretch(0);
    m_actions->addStretch();
    column->addLayout(m_actions);
    column->addStretch(3);
    setTexts(title, text);
}

void EmptyState::setTexts(const QString& title, const QString& text) {
    m_title->setText(title);
    m_text->setText(text);
    // A centred label in a box layout is not asked for its height at its width.
    m_text->setMinimumHeight(std::max(0, m_text->heightForWidth(kTextWidth)));
}

/// In a low window the words and the way on matter more than the picture.
void EmptyState::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    m_icon->show();
    m_icon->setVisible(height() >= layout()->minimumSize().height());
}

QPushButton* EmptyState::addAction(const QString& text, ButtonKind kind) {
    auto* button = makeButton(text, kind);
    m_actions->insertWidget(m_actions->count() - 1, button);
    return button;
}

QString sanitized(const std::string& text) {
    return QString::fromStdString(sanitizedText(text));
}

}  // namespace dailies::ui
