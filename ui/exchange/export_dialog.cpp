#include "ui/exchange/export_dialog.h"

#include "core/tracking/store_interrupt.h"
#include "ui/exchange/progress_view.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QLocale>
#include <QPushButton>
#include <QUrl>

#include <algorithm>
#include <unordered_map>

namespace dailies::ui {

namespace {

/// In the order of the ids; those that are gone are left out.
std::vector<tracking::Run> runsOf(const tracking::Store& store, const std::vector<std::string>& ids) {
    std::unordered_map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < ids.size(); ++i) place.emplace(ids[i], i);
    auto runs = store.runs(ids);
    std::sort(runs.begin(), runs.end(), [&](const tracking::Run& a, const tracking::Run& b) {
        return place.at(a.id) < place.at(b.id);
    });
    return runs;
}

}  // namespace

ExportDialog::ExportDialog(std::filesystem::path storeFile, Scopes scopes, QWidget* parent)
    : FormDialog(tr("Export runs"), tr("Export"), QStringLiteral("save"), parent),
      m_storeFile(std::move(storeFile)),
      m_scopes(std::move(scopes)),
      m_what(new QComboBox),
      m_runs(new QComboBox),
      m_format(new QComboBox),
      m_names(new QComboBox),
      m_rawText(new QCheckBox(tr("Keep texts that begin with = + - @ as they are"))),
      m_file(new OutputFileField),
      m_result(makeLabel({}, TextStyle::Body)),
      m_progress(new ProgressView(tr("written"))),
      m_open(makeButton(tr("Show in folder"))) {
    fillForm();
    addToFooter(m_open);
    for (auto* box : {m_what, m_format})
        connect(box, &QComboBox::currentIndexChanged, this, &ExportDialog::optionsChanged);
    connect(m_file, &OutputFileField::changed, this, [this] {
        showProblem({});
        refresh();
    });
    connect(&acceptButton(), &QPushButton::clicked, this, &ExportDialog::start);
    connect(m_open, &QPushButton::clicked, this, [this] {
        QDesktopServices::openUrl(
            QUrl::fromLocalFile(QString::fromStdString(m_written.parent_path().string())));
    });
    m_file->setFilters(tr("CSV (*.csv);;JSON (*.json);;All files (*)"));
    m_file->setFile(QDir::home().filePath(QStringLiteral("runs.csv")));
    optionsChanged();
}

ExportDialog::~ExportDialog() {
    m_stop.request_stop();
}

void ExportDialog::fillForm() {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k8);
    grid->setColumnStretch(1, 1);
    const QLocale locale;
    const auto addScope = [&](const QString& name, std::size_t count, Scope scope) {
        if (count > 0)
            m_runs->addItem(tr("%1 (%2)").arg(name, locale.toString(static_cast<qulonglong>(count))), scope);
    };
    addScope(tr("Selected"), m_scopes.selected.size(), Selected);
    addScope(tr("Shown in the table"), m_scopes.shown.size(), Shown);
    addScope(tr("All in the database"), m_scopes.all, All);
    addField(*grid, tr("Runs"), m_runs, tr("Shown: runs in the selected experiment that match the filter"));
    m_what->addItem(tr("Runs: a row each, with params, last metrics and tags"));
    m_what->addItem(tr("Points: a row for each point of each metric"));
    addField(*grid, tr("Contents"), m_what, tr("A file of points can be imported again"));
    m_format->addItem(QStringLiteral("CSV"));
    m_format->addItem(QStringLiteral("JSON"));
    addField(*grid, tr("Format"), m_format, tr("CSV for spreadsheets and pandas; JSON is a list of objects"));
    m_names->addItem(tr("Full: params.optimizer.lr"));
    m_names->addItem(tr("Short: lr, where no two are alike"));
    addField(*grid, tr("Column names"), m_names, tr("How params, metrics and tags are called in the header"));
    addField(*grid, tr("File"), m_file, tr("Written all at once; never left half finished"));
    m_rawText->setToolTip(
        tr("Spreadsheets run these cells as formulas; Dailies adds a leading apostrophe to keep them as "
           "text. Numbers aren't affected"));
    grid->addWidget(m_rawText, grid->rowCount(), 1);
    form().addLayout(grid);
    form().addWidget(m_progress);
    m_result->setWordWrap(true);
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_result->hide();
    form().addWidget(m_result);
}

exchange::ExportTable ExportDialog::table() const {
    return m_what->currentIndex() == 0 ? exchange::ExportTable::Runs : exchange::ExportTable::Metrics;
}

exchange::ExportFormat ExportDialog::format() const {
    return m_format->currentIndex() == 0 ? exchange::ExportFormat::Csv : exchange::ExportFormat::Json;
}

void ExportDialog::optionsChanged() {
    // a name that nobody chose follows what is written
    const QFileInfo file(m_file->text());
    if (const auto base = file.completeBaseName();
        base == QLatin1String("runs") || base == QLatin1String("metrics"))
        m_file->setFile(QString::fromStdString(
            (std::filesystem::path(file.path().toStdString()) / exchange::exportFile({}, table(), format()))
                .string()));
    refresh();
}

void ExportDialog::refresh() {
    const bool csv = format() == exchange::ExportFormat::Csv;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_what, m_runs, m_format, m_file})
        widget->setEnabled(!m_exporting);
    m_names->setEnabled(!m_exporting && csv && table() == exchange::ExportTable::Runs);
    m_rawText->setEnabled(!m_exporting && csv);
    m_open->setVisible(!m_written.empty());
    cancelButton().setText(m_exporting ? tr("Stop") : m_written.empty() ? tr("Cancel") : tr("Close"));
    acceptButton().setText(m_file->verb(tr("Export")));
    acceptButton().setEnabled(!m_exporting && m_runs->count() > 0 && !m_file->text().isEmpty());
}

void ExportDialog::start() {
    m_stop = {};
    m_exporting = true;
    m_written.clear();
    m_result->hide();
    showProblem({});
    const exchange::ExportOptions options{
        .format = format(),
        .text = m_rawText->isChecked() ? CsvEscaping::Raw : CsvEscaping::EscapeFormulas,
        .shortNames = m_names->currentIndex() == 1};
    const auto scope = static_cast<Scope>(m_runs->currentData().toInt());
    auto ids = scope == Selected ? m_scopes.selected
               : scope == Shown  ? m_scopes.shown
                                 : std::vector<std::string>();
    runAsync(
        this,
        [options, ids = std::move(ids), all = scope == All, table = table(), agreed = m_file->asked(),
         store = m_storeFile, file = m_file->file(), stop = m_stop.get_token(),
         progress = m_progress->start()](std::stop_token) -> Outcome {
            const auto question = confirmationNeeded(exchange::exportFile(file, table, options.format));
            if (question != WriteConfirmation::None && question != agreed)
                return {.summary = {}, .question = question};
            try {
                const tracking::Store opened(store, tracking::Store::Mode::ReadOnly);
                tracking::interruptOnStop(opened, stop);
                return {exchange::exportRuns(opened, all ? opened.runs() : runsOf(opened, ids), table, file,
                                             options, progress, stop)};
            } catch (const Cancelled&) {
                return {};
            }
        },
        [this](const Outcome& outcome) { finish(outcome); },
        [this](const Error& error) {
            m_exporting = false;
            m_progress->stop();
            showProblem(sanitized(error.full()));
            refresh();
        });
    refresh();
}

void ExportDialog::finish(const Outcome& outcome) {
    m_exporting = false;
    m_progress->stop();
    m_file->ask(outcome.question);
    if (outcome.question != WriteConfirmation::None) {
        showProblem(m_file->question());
    } else if (outcome.summary) {
        m_written = outcome.summary->file;
        const QString what =
            table() == exchange::ExportTable::Metrics
                ? tr("%1 with %2")
                      .arg(runCountText(outcome.summary->runs), pointCountText(outcome.summary->points))
                : runCountText(outcome.summary->runs);
        m_result->setText(tr("Saved %1 to %2").arg(what, sanitized(m_written.string())));
        m_result->show();
    } else {
        m_result->setText(tr("Stopped: nothing was written"));
        m_result->show();
    }
    refresh();
}

void ExportDialog::reject() {
    if (m_exporting)
        m_stop.request_stop();
    else
        QDialog::reject();
}

}  // namespace dailies::ui
