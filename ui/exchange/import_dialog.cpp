#include "ui/exchange/import_dialog.h"

#include "core/tracking/store_interrupt.h"
#include "ui/exchange/progress_view.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QGridLayout>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kSearchDelayMs = 300;

QString nameOf(exchange::SourceKind kind) {
    const auto name = exchange::displayName(kind);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString told(const exchange::ImportedSource& source) {
    QStringList parts{QObject::tr("%1 added").arg(runCountText(source.runsAdded))};
    if (source.runsExtended > 0) parts << QObject::tr("%1 updated").arg(runCountText(source.runsExtended));
    if (source.runsUnchanged > 0)
        parts << QObject::tr("%1 unchanged").arg(runCountText(source.runsUnchanged));
    return parts.join(QStringLiteral(", "));
}

void clear(QGridLayout& grid) {
    while (auto* item = grid.takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

}  // namespace

ImportDialog::ImportDialog(std::filesystem::path storeFile, const QString& readOnly, QWidget* parent)
    : FormDialog(tr("Import runs"), tr("Import"), {}, parent),
      m_storeFile(std::move(storeFile)),
      m_readOnly(readOnly),
      m_source(new QLineEdit),
      m_file(makeButton(tr("File…"))),
      m_folder(makeButton(tr("Folder…"), ButtonKind::Normal, QStringLiteral("folder"))),
      m_experiment(new QLineEdit),
      m_headline(makeLabel({}, TextStyle::Strong)),
      m_rows(new QWidget),
      m_rowsGrid(new QGridLayout),
      m_details(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_progress(new ProgressView(tr("read"))) {
    setAcceptDrops(true);
    fillForm();
    m_searchLater.setSingleShot(true);
    m_searchLater.setInterval(kSearchDelayMs);
    connect(&m_searchLater, &QTimer::timeout, this, &ImportDialog::search);
    connect(m_source, &QLineEdit::textChanged, this, [this] {
        m_search.cancel();
        m_searching = false;
        m_done = false;
        m_searchLater.start();
        refresh();
    });
    connect(m_file, &QPushButton::clicked, this, [this] { choose(false); });
    connect(m_folder, &QPushButton::clicked, this, [this] { choose(true); });
    connect(&acceptButton(), &QPushButton::clicked, this, [this] { m_done ? accept() : start(); });
    m_source->setFocus();
    showProblem(m_readOnly);
    refresh();
}

ImportDialog::~ImportDialog() {
    m_stop.request_stop();
}

void ImportDialog::fillForm() {
    auto* about =
        makeLabel(tr("From MLflow, TensorBoard, W&B (offline runs) and CSV files. What is there is only "
                     "read; importing it again adds what is new and nothing twice."),
                  TextStyle::Body, TextTone::Muted);
    about->setWordWrap(true);
    form().addWidget(about);

    auto* row = makeRow(space::k8);
    m_source->setAccessibleName(tr("File or folder"));
    m_source->setPlaceholderText(tr("A file or folder; or drop one here"));
    row->addWidget(m_source, 1);
    row->addWidget(m_file);
    row->addWidget(m_folder);
    form().addLayout(row);

    m_headline->setWordWrap(true);
    form().addWidget(m_headline);
    m_rowsGrid->setContentsMargins(0, 0, 0, 0);
    m_rowsGrid->setHorizontalSpacing(space::k16);
    m_rowsGrid->setVerticalSpacing(space::k8);
    m_rowsGrid->setColumnStretch(1, 1);
    m_rows->setLayout(m_rowsGrid);
    form().addWidget(m_rows);
    m_details->setWordWrap(true);
    m_details->setTextInteractionFlags(Qt::TextSelectableByMouse);
    form().addWidget(m_details);

    auto* experiment = makeRow(space::k12);
    auto* label = makeLabel(tr("Experiment"), TextStyle::Body, TextTone::Muted);
    label->setBuddy(m_experiment);
    m_experiment->setAccessibleName(tr("Experiment"));
    m_experiment->setPlaceholderText(tr("as the source has it"));
    m_experiment->setToolTip(tr("Puts all runs into this one"));
    experiment->addWidget(label);
    experiment->addWidget(m_experiment, 1);
    form().addLayout(experiment);
    form().addWidget(m_progress);
    for (auto* hidden : std::initializer_list<QWidget*>{m_headline, m_rows, m_details}) hidden->hide();
}

void ImportDialog::setSource(const QString& path) {
    m_source->setText(path);
    m_searchLater.stop();
    search();
}

void ImportDialog::choose(bool folder) {
    const auto chosen = [this](const QString& path) { setSource(path); };
    if (folder)
        chooseFolder(*this, tr("Folder with runs"), chosen);
    else
        chooseFile(*this, tr("File with runs"), {}, chosen);
}

void ImportDialog::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (!m_importing && urls.size() == 1 && urls.front().isLocalFile()) event->acceptProposedAction();
}

void ImportDialog::dropEvent(QDropEvent* event) {
    setSource(event->mimeData()->urls().front().toLocalFile());
}

void ImportDialog::search() {
    m_search.cancel();
    const auto path = m_source->text().trimmed().toStdString();
    showRows({}, false);
    showDetails({});
    m_headline->hide();
    showProblem(m_readOnly);
    m_searching = !path.empty();
    refresh();
    if (path.empty()) return;
    m_headline->setText(tr("Looking for runs…"));
    m_headline->show();
    m_search = runAsync(
        this,
        [path, store = m_storeFile](std::stop_token stop) {
            return exchange::findSources(path, {}, store, std::move(stop));
        },
        [this](const exchange::FoundSources& found) {
            m_searching = false;
            showFound(found);
        },
        [this](const Error& error) {
            m_searching = false;
            m_headline->hide();
            showProblem(sanitized(error.full()));
            refresh();
        });
}

void ImportDialog::showFound(const exchange::FoundSources& found) {
    std::vector<std::pair<exchange::SourceKind, QString>> rows;
    for (const auto& source : found.sources) rows.emplace_back(source.kind, sanitized(source.what));
    showRows(rows, true);
    QStringList left;
    for (const auto& entry : found.skipped) left << tr("Left out: %1").arg(skippedText(entry));
    showDetails(left);
    m_headline->setText(found.sources.empty() ? tr("No importable runs found") : tr("Found"));
    m_headline->show();
    refresh();
}

void ImportDialog::showRows(const std::vector<std::pair<exchange::SourceKind, QString>>& rows,
                            bool choosable) {
    m_choices.clear();
    clear(*m_rowsGrid);
    int at = 0;
    QWidget* before = m_folder;  // Tab goes as one reads
    for (const auto& [kind, text] : rows) {
        if (choosable) {
            auto* choice = new QCheckBox(nameOf(kind));
            choice->setChecked(true);
            connect(choice, &QCheckBox::toggled, this, &ImportDialog::refresh);
            m_choices.emplace_back(kind, choice);
            m_rowsGrid->addWidget(choice, at, 0);
            setTabOrder(before, choice);
            before = choice;
        } else {
            m_rowsGrid->addWidget(makeLabel(nameOf(kind)), at, 0);
        }
        auto* what = makeLabel(text, TextStyle::Body, TextTone::Muted);
        what->setWordWrap(true);
        m_rowsGrid->addWidget(what, at++, 1);
    }
    m_rows->setVisible(!rows.empty());
}

void ImportDialog::showDetails(const QStringList& sentences) {
    m_details->setText(sentences.join(QLatin1Char('\n')));
    m_details->setVisible(!sentences.isEmpty());
}

std::vector<exchange::SourceKind> ImportDialog::wanted() const {
    std::vector<exchange::SourceKind> kinds;
    for (const auto& [kind, choice] : m_choices)
        if (choice->isChecked()) kinds.push_back(kind);
    return kinds;
}

void ImportDialog::refresh() {
    for (QWidget* widget : std::initializer_list<QWidget*>{m_source, m_file, m_folder, m_experiment})
        widget->setEnabled(!m_importing);
    for (const auto& [kind, choice] : m_choices) choice->setEnabled(!m_importing);
    cancelButton().setText(m_importing ? tr("Stop") : tr("Cancel"));
    cancelButton().setVisible(!m_done);
    acceptButton().setText(m_done ? tr("Close") : tr("Import"));
    acceptButton().setEnabled(m_done ||
                              (!m_importing && !m_searching && m_readOnly.isEmpty() && !wanted().empty()));
}

void ImportDialog::start() {
    exchange::ImportOptions options{.experiment = m_experiment->text().trimmed().toStdString()};
    // all that was found is not the same as every kind by name: that would ask for any CSV file
    if (wanted().size() < m_choices.size()) options.kinds = wanted();
    m_stop = {};
    m_importing = true;
    showProblem({});
    refresh();
    runAsync(
        this,
        [options, store = m_storeFile, path = m_source->text().trimmed().toStdString(),
         stop = m_stop.get_token(), progress = m_progress->start()](std::stop_token) -> Outcome {
            try {
                tracking::Store opened(store);
                tracking::interruptOnStop(opened, stop);
                return {exchange::importFrom(opened, path, options, progress, stop)};
            } catch (const Cancelled&) {
                return {};
            }
        },
        [this](const Outcome& outcome) { finish(outcome); },
        [this](const Error& error) {
            m_importing = false;
            m_progress->stop();
            showProblem(sanitized(error.full()));
            refresh();
            emit imported();  // the runs before it are in
        });
}

void ImportDialog::finish(const Outcome& outcome) {
    m_importing = false;
    m_progress->stop();
    if (!outcome.summary) {
        m_headline->setText(tr("Import stopped. Imported runs are complete; import again to get the rest"));
        refresh();
        emit imported();
        return;
    }
    m_done = true;
    std::vector<std::pair<exchange::SourceKind, QString>> rows;
    for (const auto& source : outcome.summary->sources) rows.emplace_back(source.kind, told(source));
    showRows(rows, false);
    QStringList sentences;
    for (const auto& note : outcome.summary->notes) sentences << sanitized(note);
    for (const auto& entry : outcome.summary->skipped)
        sentences << tr("Left out: %1").arg(skippedText(entry));
    showDetails(sentences);
    const auto total = outcome.summary->total();
    m_headline->setText(total.pointsAdded > 0
                            ? tr("Imported: %1, %2").arg(told(total), pointCountText(total.pointsAdded))
                            : tr("Imported: %1").arg(told(total)));
    refresh();
    emit imported();
}

void ImportDialog::reject() {
    if (m_importing)
        m_stop.request_stop();  // it closes once that has been seen to
    else
        QDialog::reject();
}

}  // namespace dailies::ui
