#include "ui/run_details/fact_list.h"

#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kMinNameWidth = 72;
constexpr int kNameWidth = 128;      ///< that a long name has in any case
constexpr int kMinValueWidth = 176;  ///< what a longer one leaves: "0.01234  at step 3,400"
constexpr std::size_t kMaxMessages = 200;

void clear(QLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
}

QVBoxLayout* makeList(QWidget* parent) {
    auto* column = new QVBoxLayout(parent);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::k4);
    return column;
}

/// A path: where it does not fit its middle is left out, and a click (or Enter) copies the whole of it.
class PathLabel : public QLabel {
public:
    PathLabel() {
        setTextFormat(Qt::PlainText);
        setFont(Theme::font(TextStyle::Mono));
        setTone(this, TextTone::Normal);
        setCursor(Qt::PointingHandCursor);
        setFocusPolicy(Qt::TabFocus);
    }

    void setPath(const QString& path) {
        m_path = path;
        setAccessibleName(path);
        setAccessibleDescription(QObject::tr("Enter copies it"));
        setToolTip(QObject::tr("%1\nClick to copy").arg(path));
        elide();
    }
    QSize minimumSizeHint() const override {
        return {fontMetrics().averageCharWidth() * 12, QLabel::minimumSizeHint().height()};
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QLabel::resizeEvent(event);
        elide();
    }
    void paintEvent(QPaintEvent* event) override {
        QLabel::paintEvent(event);
        if (!hasFocus()) return;
        QPainter painter(this);
        painter.setPen(colors().accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
    void mouseReleaseEvent(QMouseEvent* event) override {
        if (event->button() == Qt::LeftButton && rect().contains(event->pos())) copy();
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->matches(QKeySequence::Copy) || event->key() == Qt::Key_Return ||
            event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space)
            copy();
        else
            QLabel::keyPressEvent(event);
    }

private:
    void elide() { setText(fontMetrics().elidedText(m_path, Qt::ElideMiddle, std::max(width(), 1))); }
    void copy() {
        QApplication::clipboard()->setText(m_path);
        QToolTip::showText(mapToGlobal(QPoint(0, height())), QObject::tr("Copied"), this);
    }

    QString m_path;
};

void showValue(QLabel* label, const Fact& fact) {
    if (auto* path = dynamic_cast<PathLabel*>(label)) return path->setPath(fact.value);
    if (auto* elided = dynamic_cast<ElidedLabel*>(label)) return elided->setFullText(fact.value);
    label->setText(fact.value);
    label->setToolTip(fact.tip);
}

struct FactRow {
    QWidget* row;
    QLabel* name;
    QLabel* value;
};

FactRow makeFact(const Fact& fact) {
    auto* row = new QWidget;
    auto* layout = makeRow(space::k8);
    auto* name = new ElidedLabel(TextStyle::Body, TextTone::Muted);
    name->setFullText(fact.name);
    layout->addWidget(name, 0, Qt::AlignTop);
    // Ids and paths are cut where they do not fit, sentences go on in the next line.
    QLabel* value = fact.path   ? new PathLabel
                    : fact.mono ? static_cast<QLabel*>(new ElidedLabel(TextStyle::Mono))
                                : makeLabel({});
    value->setWordWrap(!fact.mono);
    if (!fact.path) value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    showValue(value, fact);
    layout->addWidget(value, 1);
    row->setLayout(layout);
    return {row, name, value};
}

/// Whether the same rows stand in the same places.
bool sameRows(const std::vector<FactGroup>& a, const std::vector<FactGroup>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const FactGroup& x, const FactGroup& y) {
        return x.title == y.title && std::equal(x.facts.begin(), x.facts.end(), y.facts.begin(),
                                                y.facts.end(), [](const Fact& f, const Fact& g) {
                                                    return f.name == g.name && f.mono == g.mono &&
                                                           f.path == g.path;
                                                });
    });
}

}  // namespace

FactList::FactList(QWidget* parent) : QWidget(parent), m_column(makeList(this)) {}

void FactList::setGroups(std::vector<FactGroup> groups) {
    std::erase_if(groups, [](const FactGroup& group) { return group.facts.empty(); });
    if (groups == m_groups) return;
    const bool inPlace = !m_values.empty() && sameRows(groups, m_groups);
    m_groups = std::move(groups);
    if (inPlace) {
        auto value = m_values.begin();
        for (const FactGroup& group : m_groups)
            for (const Fact& fact : group.facts) showValue(*value++, fact);
        return;
    }
    clear(m_column);
    m_values.clear();
    m_names.clear();
    for (const FactGroup& group : m_groups) {
        if (!group.title.isEmpty()) {
            auto* title = makeLabel(group.title, TextStyle::Strong);
            title->setContentsMargins(0, m_column->count() > 0 ? space::k16 : 0, 0, space::k4);
            m_column->addWidget(title);
        }
        for (const Fact& fact : group.facts) {
            const auto [row, name, value] = makeFact(fact);
            m_column->addWidget(row);
            m_names.push_back(name);
            m_values.push_back(value);
        }
    }
    m_column->addStretch();
    fitNames();
}

void FactList::fitNames() {
    const QFontMetrics metrics(Theme::font(TextStyle::Body));
    int widest = kMinNameWidth;
    for (const FactGroup& group : m_groups)
        for (const Fact& fact : group.facts)
            widest = std::max(widest, metrics.horizontalAdvance(fact.name) + 1);
    const int most = std::max(kNameWidth, width() - space::k8 - kMinValueWidth);
    for (QLabel* name : m_names) name->setFixedWidth(std::min(widest, most));
}

void FactList::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitNames();
}

MessageList::MessageList(QWidget* parent) : QWidget(parent), m_column(makeList(this)) {}

void MessageList::setMessages(const std::vector<tracking::RunMessage>& messages) {
    if (m_column->count() > 0 && messages.size() == m_count) return;  // messages are only ever added
    m_count = messages.size();
    clear(m_column);
    if (messages.empty())
        m_column->addWidget(makeLabel(tr("Nothing to report."), TextStyle::Body, TextTone::Faint));
    std::size_t shown = 0;
    for (auto message = messages.rbegin(); message != messages.rend() && shown < kMaxMessages;
         ++message, ++shown) {
        const TextTone tone = message->level == "error"     ? TextTone::Danger
                              : message->level == "warning" ? TextTone::Warning
                                                            : TextTone::Normal;
        m_column->addWidget(makeLabel(timeText(message->timeMs), TextStyle::Caption, TextTone::Faint));
        auto* text = makeLabel(sanitized(message->text), TextStyle::Body, tone);
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        text->setContentsMargins(0, 0, 0, space::k8);
        m_column->addWidget(text);
    }
    if (messages.size() > shown)
        m_column->addWidget(makeLabel(tr("… and %1 earlier ones").arg(messages.size() - shown),
                                      TextStyle::Body, TextTone::Faint));
    m_column->addStretch();
}

}  // namespace dailies::ui
