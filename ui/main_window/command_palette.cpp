#include "ui/main_window/command_palette.h"

#include "ui/bridge/read_store.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <optional>
#include <utility>

namespace dailies::ui {

namespace {

constexpr QSize kSize{560, 400};
constexpr std::size_t kMaxShown = 50;  ///< nobody reads further; typing one letter more is faster

/// Titles at the left, and at the right, apart from them, their keys.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QFont font = Theme::font(TextStyle::Body);
        const QFontMetrics metrics(font);
        const QString hint =
            metrics.elidedText(index.data(Qt::UserRole).toString(), Qt::ElideRight, option.rect.width() / 2);
        const int width = metrics.horizontalAdvance(hint);
        QStyleOptionViewItem entry = option;
        initStyleOption(&entry, index);
        entry.text = entry.fontMetrics.elidedText(
            entry.text, Qt::ElideRight,
            option.rect.width() - width - entry.decorationSize.width() - 2 * space::k24);
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &entry, painter, option.widget);
        painter->save();
        painter->setFont(font);
        painter->setPen(colors().textMuted);
        painter->drawText(option.rect.adjusted(0, 0, -space::k12, 0), Qt::AlignRight | Qt::AlignVCenter,
                          hint);
        painter->restore();
    }
};

struct Found {
    std::vector<std::string> sweeps;                        ///< names, each once
    std::vector<std::pair<std::string, std::string>> runs;  ///< ids and names
};

/// How well a name answers to what was typed, least first; nullopt: no better than any other text.
std::optional<int> rankOfName(const QString& name, const QString& typed) {
    if (name.isEmpty()) return std::nullopt;
    if (name.compare(typed, Qt::CaseInsensitive) == 0) return 0;
    if (name.endsWith(QLatin1Char('.') + typed, Qt::CaseInsensitive)) return 1;  // lr of optimizer.lr
    if (name.startsWith(typed, Qt::CaseInsensitive)) return 2;
    if (name.contains(QLatin1Char(' ') + typed, Qt::CaseInsensitive)) return 3;
    return std::nullopt;
}

/// How well a command answers to what was typed, least first; nullopt: not at all.
std::optional<int> rankOf(const CommandPalette::Command& command, const QString& typed,
                          const QStringList& words) {
    const QString text =
        QStringList{command.title, command.plainName, command.words, command.hint, command.details}.join(
            QLatin1Char(' '));
    if (!std::ranges::all_of(words,
                             [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); }))
        return std::nullopt;
    if (typed.isEmpty()) return command.enabled ? 0 : 1;
    constexpr int kLast = 10;
    const QString& name = command.name.isEmpty() ? command.title : command.name;
    const int late = command.enabled ? 0 : kLast;
    const int no = kLast;
    int rank =
        std::min(rankOfName(name, typed).value_or(no), rankOfName(command.plainName, typed).value_or(no));
    if (typed.size() > 3 && command.hint.startsWith(typed, Qt::CaseInsensitive))
        rank = std::min(rank, 1);  // an id
    if (command.words.split(QLatin1Char(' ')).contains(typed, Qt::CaseInsensitive)) rank = std::min(rank, 3);
    if (rank < no) return rank + late;
    if (command.title.contains(typed, Qt::CaseInsensitive)) return 4 + late;
    const bool inTitle = std::ranges::all_of(
        words, [&](const QString& word) { return command.title.contains(word, Qt::CaseInsensitive); });
    return (inTitle ? 5 : 6) + late;
}

}  // namespace

CommandPalette::CommandPalette(std::vector<Command> commands, const std::filesystem::path& storeFile,
                               std::function<void(const std::string&)> openSweep,
                               std::function<void(const std::string&)> openRun, QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint),
      m_commands(std::move(commands)),
      m_field(new QLineEdit),
      m_list(new QListWidget),
      m_none(makeLabel({}, TextStyle::Body, TextTone::Muted)) {
    setWindowTitle(tr("Go to"));
    setAccessibleName(tr("Go to"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(kSize);
    m_field->setPlaceholderText(tr("Go to a run, a sweep, a page, a key of the Launch form, or an action"));
    m_field->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_field->setAccessibleName(tr("Search"));
    m_field->installEventFilter(this);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    m_list->setItemDelegate(new EntryDelegate(m_list));
    m_none->setAlignment(Qt::AlignCenter);
    m_none->setWordWrap(true);
    auto* column = makeColumn(space::k8, {space::k12, space::k12, space::k12, space::k12});
    column->addWidget(m_field);
    column->addWidget(m_list, 1);
    column->addWidget(m_none, 1);
    setLayout(column);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::refilter);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::choose);
    m_reading = true;
    refilter();
    readStore(
        this, storeFile,
        [](const tracking::Store& store, const std::stop_token&) {
            Found found;
            for (const auto& sweep : store.sweeps())
                if (std::ranges::find(found.sweeps, sweep.name) == found.sweeps.end())
                    found.sweeps.push_back(sweep.name);
            for (const auto& run : store.runs()) found.runs.emplace_back(run.id, run.name);
            return found;
        },
        [this, openSweep = std::move(openSweep), openRun = std::move(openRun)](const Found& found) {
            m_reading = false;
            for (const auto& name : found.sweeps)
                m_commands.push_back({.title = sanitized(name),
                                      .hint = tr("Sweep"),
                                      .iconName = QStringLiteral("columns"),
                                      .call = [openSweep, name] { openSweep(name); }});
            for (const auto& [id, name] : found.runs)
                m_commands.push_back({.title = sanitized(name),
                                      .hint = QString::fromStdString(id.substr(0, 8)),
                                      .iconName = QStringLiteral("runs"),
                                      .call = [openRun, runId = id] { openRun(runId); }});
            refilter();
        },
        [this](const Error&) {  // the pages say what is wrong with the store
            m_reading = false;
            refilter();
        });
}

void CommandPalette::refilter() {
    const QString typed = m_field->text().simplified();
    const QStringList words = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<std::pair<int, const Command*>> found;
    for (const Command& command : m_commands)
        if (const auto rank = rankOf(command, typed, words)) found.emplace_back(*rank, &command);
    std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
    if (found.size() > kMaxShown) found.resize(kMaxShown);

    m_shown.clear();
    m_list->clear();
    for (const auto& [rank, command] : found) {
        m_shown.push_back(command);
        auto* item = new QListWidgetItem(icon(command->iconName), command->title);
        const QString hint = command->enabled                    ? command->hint
                             : command->disabledReason.isEmpty() ? tr("Not available now")
                                                                 : command->disabledReason;
        item->setData(Qt::UserRole, hint);
        item->setData(Qt::AccessibleTextRole, QStringLiteral("%1 %2").arg(command->title, hint));
        item->setToolTip(command->enabled ? command->details : hint);
        if (!command->enabled) item->setForeground(colors().textFaint);
        m_list->addItem(item);
    }
    m_list->setCurrentRow(0);
    m_none->setText(m_reading ? tr("Reading the runs…") : tr("No results for “%1”").arg(typed));
    m_none->setVisible(m_shown.empty());
    m_list->setVisible(!m_shown.empty());
}

void CommandPalette::choose() {
    const int row = m_list->currentRow();
    if (row < 0 || row >= static_cast<int>(m_shown.size())) return;
    if (!m_shown[static_cast<std::size_t>(row)]->enabled) return;
    const auto call = m_shown[static_cast<std::size_t>(row)]->call;
    close();
    call();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int last = m_list->count() - 1;
        if (key == Qt::Key_Down || key == Qt::Key_Up) {
            const int row = m_list->currentRow() + (key == Qt::Key_Down ? 1 : -1);
            m_list->setCurrentRow(row < 0 ? last : row > last ? 0 : row);
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            choose();
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

}  // namespace dailies::ui
