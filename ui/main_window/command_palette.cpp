#include "ui/main_window/command_palette.h"

#include "ui/bridge/read_store.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr QSize kSize{560, 400};
constexpr std::size_t kMostShown = 50;  ///< nobody reads further; typing one letter more is faster

}  // namespace

CommandPalette::CommandPalette(std::vector<Command> commands, const std::filesystem::path& storeFile,
                               std::function<void(const std::string&)> openRun, QWidget* parent)
    : QDialog(parent, Qt::Popup | Qt::FramelessWindowHint),
      m_commands(std::move(commands)),
      m_field(new QLineEdit),
      m_list(new QListWidget) {
    setWindowTitle(tr("Go to"));
    setAccessibleName(tr("Go to"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(kSize);
    m_field->setPlaceholderText(tr("Go to a run, a page or an action"));
    m_field->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_field->setAccessibleName(tr("What to go to"));
    m_field->installEventFilter(this);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    auto* column = makeColumn(space::k8, {space::k12, space::k12, space::k12, space::k12});
    column->addWidget(m_field);
    column->addWidget(m_list, 1);
    setLayout(column);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::refilter);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::choose);
    refilter();

    m_reading = true;
    readStore(
        this, storeFile,
        [](const tracking::Store& store, const std::stop_token&) {
            std::vector<std::pair<std::string, std::string>> runs;
            for (const auto& run : store.runs()) runs.emplace_back(run.id, run.name);
            return runs;
        },
        [this, openRun = std::move(openRun)](const std::vector<std::pair<std::string, std::string>>& runs) {
            m_reading = false;
            for (const auto& [id, name] : runs)
                m_commands.push_back({.title = inert(name),
                                      .hint = QString::fromStdString(id.substr(0, 8)),
                                      .iconName = QStringLiteral("runs"),
                                      .call = [openRun, runId = id] { openRun(runId); }});
            refilter();
        },
        [this](const Error&) { m_reading = false; });  // the pages say what is wrong with the store
}

void CommandPalette::refilter() {
    const QStringList words = m_field->text().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    m_shown.clear();
    m_list->clear();
    for (const Command& command : m_commands) {
        if (m_shown.size() == kMostShown) break;
        const QString text = command.title + QLatin1Char(' ') + command.hint;
        if (!std::all_of(words.begin(), words.end(),
                         [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); }))
            continue;
        m_shown.push_back(&command);
        auto* item = new QListWidgetItem(
            icon(command.iconName), command.hint.isEmpty()
                                        ? command.title
                                        : QStringLiteral("%1   —   %2").arg(command.title, command.hint));
        m_list->addItem(item);
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::choose() {
    const int row = m_list->currentRow();
    if (row < 0 || row >= static_cast<int>(m_shown.size())) return;
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
