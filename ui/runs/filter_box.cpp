#include "ui/runs/filter_box.h"

#include "core/query/query.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPainterPath>
#include <QStyle>
#include <QStyleOptionFrame>
#include <QStyledItemDelegate>

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kMaxShown = 8;
constexpr std::size_t kMaxProposed = 40;
constexpr qsizetype kMaxRecent = 12;
constexpr int kProblemDelayMs = 500;  ///< a text is mostly wrong while it is being written
constexpr int kListWidth = 380;
constexpr int kListWidest = 560;
constexpr int kHintRole = Qt::UserRole;

/// Text on the left, a hint on the right, as command palettes have them.
class ProposalDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Palette& p = colors();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QRect row = option.rect.adjusted(space::k4, 0, -space::k4, 0);
        if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) {
            QPainterPath shape;
            shape.addRoundedRect(row, 4, 4);
            painter->fillPath(shape, option.state & QStyle::State_Selected ? p.accentSoft : p.hover);
        }
        QRect text = row.adjusted(space::k8, 0, -space::k8, 0);
        const QFont mono = Theme::font(TextStyle::Mono);
        const QFont caption = Theme::font(TextStyle::Caption);
        const QString hint = QFontMetrics(caption).elidedText(index.data(kHintRole).toString(),
                                                              Qt::ElideRight, text.width() / 2);
        painter->setFont(caption);
        painter->setPen(p.textFaint);
        painter->drawText(text, Qt::AlignRight | Qt::AlignVCenter, hint);
        text.setRight(text.right() - QFontMetrics(caption).horizontalAdvance(hint) - space::k8);
        painter->setFont(mono);
        painter->setPen(p.text);
        painter->drawText(
            text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
            QFontMetrics(mono).elidedText(index.data().toString(), Qt::ElideRight, text.width()));
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {0, 28}; }
};

QString kindWord(query::Candidate::Kind kind) {
    using Kind = query::Candidate::Kind;
    switch (kind) {
        case Kind::Metric:
            return FilterBox::tr("metric");
        case Kind::Param:
            return FilterBox::tr("param");
        case Kind::Tag:
            return FilterBox::tr("tag");
        case Kind::Attribute:
            return FilterBox::tr("attribute");
        default:
            return {};
    }
}

}  // namespace

FilterBox::FilterBox(QWidget* parent) : QLineEdit(parent) {
    setPlaceholderText(tr("Filter: words, or params.lr > 1e-4 and metrics.loss < 0.5"));
    addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    setClearButtonEnabled(true);
    setMaxLength(1 << 20);
    setAccessibleName(tr("Filter the runs"));
    setToolTip(tr("Words to search for, or MLflow's filter language (Ctrl+F or /)"));
    m_problemLater.setSingleShot(true);
    m_problemLater.setInterval(kProblemDelayMs);
    connect(&m_problemLater, &QTimer::timeout, this, &FilterBox::showProblem);
    connect(this, &QLineEdit::textChanged, this, &FilterBox::handleTextChanged);
    connect(this, &QLineEdit::textEdited, this, [this] { suggest(false); });
}

bool FilterBox::wantsVocabulary() const {
    return looksLikeQuery(text().toStdString()) && (!m_vocabulary || !m_problem.isEmpty());
}

QString FilterBox::problem() const {
    return m_problem;
}

QStringList FilterBox::suggestions() const {
    QStringList texts;
    for (int row = 0; m_list && m_list->isVisible() && row < m_list->count(); ++row) {
        texts << m_list->item(row)->text();
    }
    return texts;
}

void FilterBox::handleTextChanged() {
    clearProblem();
    const std::string bytes = text().toStdString();
    if (!looksLikeQuery(bytes)) {
        m_searching = true;
        emit matcherChanged(RunMatcher::ofWords(bytes));
        return;
    }
    emit used();  // short names are understood by the runs' keys
    const auto known = m_vocabulary;
    try {
        const auto filter = query::parseFilter(bytes, known ? *known : query::Vocabulary{});
        m_searching = false;
        if (known)
            if (const auto unknown = query::unknownKeys(filter, *known); !unknown.empty())
                setProblem(unknown[0].message, unknown[0].position, unknown[0].length, unknown[0].proposal);
        emit matcherChanged(RunMatcher::ofQuery(filter));
    } catch (const query::QueryError& error) {
        if (std::exchange(m_searching, false)) {
            emit matcherChanged({});  // the words were the beginning of this
        }
        setProblem(error.full(), error.position(), error.length(), error.proposal());
    }
}

void FilterBox::setProblem(const std::string& problem, std::size_t position, std::size_t length,
                           const query::Proposal& proposal) {
    m_proposal = proposal;
    m_problem = QString::fromStdString(problem);
    if (!m_problem.isEmpty()) {
        m_problem[0] = m_problem[0].toUpper();
    }
    // Byte offsets of the parser into characters of the box.
    const std::string bytes = text().toStdString();
    m_problemFrom = static_cast<int>(QString::fromStdString(bytes.substr(0, position)).size());
    m_problemLength =
        std::max(1, static_cast<int>(QString::fromStdString(bytes.substr(position, length)).size()));
    m_problemLater.start();
}

void FilterBox::setVocabulary(VocabularyPtr vocabulary) {
    m_vocabulary = std::move(vocabulary);
    if (looksLikeQuery(text().toStdString())) {
        handleTextChanged();
    }
}

void FilterBox::clearProblem() {
    m_problemLater.stop();
    m_problem.clear();
    m_proposal = {};
    m_problemLength = 0;
    setProperty("problem", false);
    style()->polish(this);
    if (m_message) {
        m_message->hide();
    }
}

void FilterBox::showProblem() {
    if (m_problem.isEmpty()) {
        return;
    }
    m_problemLater.stop();
    setProperty("problem", true);
    style()->polish(this);
    if (!m_message) {
        m_message = new QLabel(window());
        m_message->setTextFormat(Qt::RichText);
        m_message->setWordWrap(true);
        m_message->setTextInteractionFlags(Qt::LinksAccessibleByMouse);
        m_message->setFocusPolicy(Qt::NoFocus);  // typing goes on
        connect(m_message, &QLabel::linkActivated, this, &FilterBox::take);
        m_message->setObjectName(QStringLiteral("filterProblem"));
        m_message->setContentsMargins(12, 8, 12, 8);
        connect(this, &QObject::destroyed, m_message, &QObject::deleteLater);
    }
    setTone(m_message, TextTone::Danger);
    m_message->setText(problemWithLinks());
    const int width = std::clamp(this->width(), kListWidth, kListWidest);
    m_message->setFixedWidth(width);
    m_message->resize(width, m_message->heightForWidth(width));
    m_message->move(mapTo(window(), QPoint(0, height() + space::k4)));
    m_message->setVisible(!(m_list && m_list->isVisible()) && isVisible());
    m_message->raise();
    setAccessibleDescription(m_problem);
    update();
}

/// What was probably meant is a click away.
QString FilterBox::problemWithLinks() const {
    const auto escaped = [](const QString& text) {
        return QString(text)
            .replace(u'&', QLatin1String("&amp;"))
            .replace(u'<', QLatin1String("&lt;"))
            .replace(u'>', QLatin1String("&gt;"));
    };
    const QString message = sanitized(m_problem.toStdString());
    QString html;
    qsizetype done = 0;
    for (std::size_t i = 0; i < m_proposal.texts.size(); ++i) {
        const QString name = sanitized(m_proposal.texts[i]);
        // behind what was found, which may be called so, too
        const auto question = message.indexOf(QLatin1String("id you mean "));
        const auto at = message.indexOf(name, std::max(done, question));
        if (question < 0 || at < 0) continue;
        html +=
            escaped(message.mid(done, at - done)) + QStringLiteral("<a href=\"%1\" style=\"color:%2\">%3</a>")
                                                        .arg(i)
                                                        .arg(colors().accent.name(), escaped(name));
        done = at + name.size();
    }
    return html + escaped(message.mid(done));
}

void FilterBox::take(const QString& link) {
    const auto proposal = m_proposal;
    const std::string bytes = text().toStdString();
    const std::string head = bytes.substr(0, proposal.position) + proposal.texts.at(link.toUInt());
    setText(QString::fromStdString(head + bytes.substr(proposal.position + proposal.length)));
    setCursorPosition(static_cast<int>(QString::fromStdString(head).size()));
    setFocus();
}

void FilterBox::suggest(bool asked) {
    emit used();
    const QString before = text();
    if (before.trimmed().isEmpty() && !asked) {
        if (m_list) {
            m_list->hide();
        }
        return;
    }
    m_showsRecent = false;
    const std::string bytes = before.toStdString();
    const auto cursor = before.left(cursorPosition()).toStdString().size();
    m_completion =
        query::complete(bytes, cursor, m_vocabulary ? *m_vocabulary : query::Vocabulary{}, kMaxProposed);
    openList();
    m_list->clear();
    const std::string typed =
        bytes.substr(std::min(m_completion.replaceFrom, bytes.size()),
                     m_completion.replaceTo - std::min(m_completion.replaceFrom, m_completion.replaceTo));
    for (const auto& candidate : m_completion.candidates) {
        auto* item = new QListWidgetItem(sanitized(candidate.text));
        const QString hint = sanitized(candidate.hint);
        item->setData(kHintRole, hint.isEmpty() ? kindWord(candidate.kind) : hint);
        m_list->addItem(item);
    }
    // What has been typed to its end needs no proposal.
    const bool done = m_completion.candidates.size() == 1 && m_completion.candidates.front().text == typed;
    m_list->setVisible(m_list->count() > 0 && !done && hasFocus());
    const int rows = std::min(m_list->count(), kMaxShown);
    m_list->setFixedSize(std::clamp(width(), kListWidth, kListWidest), rows * 28 + 2 * space::k4 + 2);
    m_list->move(mapTo(window(), QPoint(0, height() + space::k4)));
    m_list->raise();
    if (m_message && m_list->isVisible()) {
        m_message->hide();
    }
}

void FilterBox::showRecent() {
    openList();
    m_list->clear();
    m_showsRecent = true;
    for (const auto& filter : m_recent) {
        auto* item = new QListWidgetItem(filter);
        item->setData(kHintRole, tr("recent"));
        m_list->addItem(item);
    }
    m_list->setVisible(m_list->count() > 0);
    m_list->setFixedSize(std::clamp(width(), kListWidth, kListWidest),
                         std::min(m_list->count(), kMaxShown) * 28 + 2 * space::k4 + 2);
    m_list->move(mapTo(window(), QPoint(0, height() + space::k4)));
    m_list->raise();
}

void FilterBox::openList() {
    if (m_list) {
        return;
    }
    m_list = new QListWidget(window());
    m_list->setObjectName(QStringLiteral("proposals"));
    m_list->setItemDelegate(new ProposalDelegate(m_list));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setMouseTracking(true);
    m_list->setAccessibleName(tr("Proposals"));
    m_list->setContentsMargins(0, space::k4, 0, space::k4);
    connect(m_list, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { accept(m_list->row(item)); });
    connect(this, &QObject::destroyed, m_list, &QObject::deleteLater);
}

void FilterBox::accept(int row) {
    if (m_showsRecent) {
        setText(m_list->item(row)->text());
        m_list->hide();
        return;
    }
    const auto& candidate = m_completion.candidates[static_cast<std::size_t>(row)];
    const std::string bytes = text().toStdString();
    const std::size_t to = std::min(m_completion.replaceTo, bytes.size());
    std::string head = bytes.substr(0, std::min(m_completion.replaceFrom, to)) + candidate.text;
    const std::string tail = bytes.substr(to);
    // On to what comes next, unless what comes next is the rest of this field.
    if (candidate.text.back() != '.' && !tail.starts_with(' ')) {
        head += ' ';
    }
    setText(QString::fromStdString(head + tail));
    setCursorPosition(static_cast<int>(QString::fromStdString(head).size()));
    suggest(true);
}

void FilterBox::remember() {
    const QString now = text().trimmed();
    if (!now.isEmpty() && m_problem.isEmpty() && (m_recent.isEmpty() || m_recent.front() != now)) {
        m_recent.removeAll(now);
        m_recent.prepend(now);
        m_recent = m_recent.mid(0, kMaxRecent);
    }
}

bool FilterBox::event(QEvent* event) {
    // Escape belongs to the box while it has the focus, not to a shortcut of the page.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();
        return true;
    }
    // Tab would move the focus before keyPressEvent sees it.
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Tab && m_list &&
        m_list->isVisible()) {
        accept(std::max(0, m_list->currentRow()));
        return true;
    }
    return QLineEdit::event(event);
}

void FilterBox::keyPressEvent(QKeyEvent* event) {
    const bool open = m_list && m_list->isVisible();
    switch (event->key()) {
        case Qt::Key_Down:
            if (open) {
                m_list->setCurrentRow(std::min(m_list->count() - 1, m_list->currentRow() + 1));
            } else if (text().isEmpty() && !m_recent.isEmpty()) {
                showRecent();
            } else if (text().isEmpty() || !m_problem.isEmpty() || looksLikeQuery(text().toStdString())) {
                suggest(true);
            } else {
                remember();
                emit left();
            }
            return;
        case Qt::Key_Up:
            if (open) {
                m_list->setCurrentRow(m_list->currentRow() - 1);
            }
            return;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            // the first proposal where what is typed is no filter yet
            if (open && (m_list->currentRow() >= 0 || !m_problem.isEmpty())) {
                accept(std::max(0, m_list->currentRow()));
                return;
            }
            if (open) {
                m_list->hide();
            }
            remember();
            if (m_problem.isEmpty()) {
                emit left();
            } else {
                showProblem();
            }
            return;
        case Qt::Key_Escape:
            if (open) {
                m_list->hide();
                showProblem();
            } else if (!text().isEmpty()) {
                clear();
            } else {
                emit left();
            }
            return;
        case Qt::Key_Space:
            if (event->modifiers() == Qt::ControlModifier) {
                suggest(true);
                return;
            }
            break;
        default:
            break;
    }
    QLineEdit::keyPressEvent(event);
}

void FilterBox::focusInEvent(QFocusEvent* event) {
    QLineEdit::focusInEvent(event);
    emit used();
}

void FilterBox::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    remember();
    if (m_list) {
        m_list->hide();
    }
    if (m_message) {
        m_message->hide();
    }
}

void FilterBox::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    if (m_problemLength == 0 || !property("problem").toBool()) {
        return;
    }
    // QLineEdit has no way to mark a part of its text; the cursor's rectangle tells where the text stands.
    const QFontMetrics metrics(font());
    const double origin =
        cursorRect().center().x() - metrics.horizontalAdvance(text().left(cursorPosition()));
    const double from = origin + metrics.horizontalAdvance(text().left(m_problemFrom));
    const double to =
        std::max(from + 6, origin + metrics.horizontalAdvance(text().left(m_problemFrom + m_problemLength)));
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(rect().adjusted(space::k8, 0, -space::k8, 0));
    painter.setPen(QPen(colors().danger, 1.25));
    const double y = rect().center().y() + metrics.height() / 2.0;
    QPainterPath wave(QPointF(from, y));
    for (double x = from; x < to; x += 4) {
        wave.quadTo(x + 1, y - 2, x + 2, y);
        wave.quadTo(x + 3, y + 2, x + 4, y);
    }
    painter.drawPath(wave);
}

}  // namespace dailies::ui
