#include "ui/charts/chart_export_dialog.h"

#include "core/base/error.h"
#include "ui/bridge/run_async.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QPushButton>

#include <array>
#include <optional>

namespace dailies::ui {

namespace {

constexpr int kLongestName = 80;

struct FormatInfo {
    ChartPanel::Format format;
    const char* suffix;
    const char* name;
};

constexpr std::array kFormats{
    FormatInfo{ChartPanel::Format::Png, "png", QT_TRANSLATE_NOOP("ChartExportDialog", "PNG: a picture")},
    FormatInfo{ChartPanel::Format::Svg, "svg",
               QT_TRANSLATE_NOOP("ChartExportDialog", "SVG: a drawing, sharp at any size")},
    FormatInfo{ChartPanel::Format::Pdf, "pdf",
               QT_TRANSLATE_NOOP("ChartExportDialog", "PDF: a page, for papers")},
    FormatInfo{ChartPanel::Format::Csv, "csv", QT_TRANSLATE_NOOP("ChartExportDialog", "CSV: the values")}};

/// A title as a file's name.
QString fileName(const QString& title) {
    QString name;
    for (const QChar c : title.left(kLongestName))
        name += c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('.') ? c : QLatin1Char('-');
    return name.isEmpty() ? QStringLiteral("chart") : name;
}

}  // namespace

ChartExportDialog::ChartExportDialog(
    const QString& title, bool morePoints,
    std::function<ChartPanel::Exporter(const ChartPanel::FileOptions&)> exporter, QWidget* parent)
    : FormDialog(tr("Export chart"), tr("Export"), QStringLiteral("save"), parent),
      m_morePoints(morePoints),
      m_exporter(std::move(exporter)),
      m_format(new QComboBox),
      m_points(new QComboBox),
      m_labels(new QCheckBox(tr("Title and names"))),
      m_file(new OutputFileField) {
    auto* chart = makeLabel(title, TextStyle::Body, TextTone::Muted);
    chart->setWordWrap(true);
    form().addWidget(chart);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k8);
    grid->setColumnStretch(1, 1);
    for (const FormatInfo& info : kFormats) m_format->addItem(tr(info.name));
    addField(*grid, tr("Format"), m_format, tr("Pictures show the chart as it is on the screen"));
    m_points->addItem(tr("All points in the database"));
    m_points->addItem(tr("As drawn: the range, smoothing and resolution on the screen"));
    addField(*grid, tr("Values"), m_points, tr("Which values a table holds"));
    addField(*grid, tr("File"), m_file, tr("It appears whole or not at all"));
    m_labels->setChecked(true);
    m_labels->setToolTip(tr("Say what is shown, and which run is which; leave it out where a caption does"));
    grid->addWidget(m_labels, grid->rowCount(), 1);
    form().addLayout(grid);

    QStringList filters;
    for (const FormatInfo& info : kFormats)
        filters << QStringLiteral("%1 (*.%2)")
                       .arg(QString::fromLatin1(info.suffix).toUpper(), QLatin1String(info.suffix));
    m_file->setFilters(filters.join(QStringLiteral(";;")));
    m_file->setFile(QDir::home().filePath(fileName(title) + QStringLiteral(".png")));
    connect(m_format, &QComboBox::currentIndexChanged, this, &ChartExportDialog::formatChanged);
    connect(m_file, &OutputFileField::changed, this, &ChartExportDialog::fileChanged);
    connect(&acceptButton(), &QPushButton::clicked, this, &ChartExportDialog::start);
    refresh();
}

ChartExportDialog::~ChartExportDialog() {
    m_stop.request_stop();
}

ChartPanel::Format ChartExportDialog::format() const {
    return kFormats[static_cast<std::size_t>(m_format->currentIndex())].format;
}

/// The file's ending is that of the format, whichever of them was changed.
void ChartExportDialog::formatChanged() {
    const auto* suffix = kFormats[static_cast<std::size_t>(m_format->currentIndex())].suffix;
    const QString file = m_file->text(), ending = QFileInfo(file).suffix();
    for (const FormatInfo& info : kFormats)
        if (ending.compare(QLatin1String(info.suffix), Qt::CaseInsensitive) == 0 &&
            ending.compare(QLatin1String(suffix), Qt::CaseInsensitive) != 0)
            m_file->setFile(file.chopped(ending.size()) + QLatin1String(suffix));
    refresh();
}

void ChartExportDialog::fileChanged() {
    const QString ending = QFileInfo(m_file->text()).suffix();
    for (std::size_t i = 0; i < kFormats.size(); ++i)
        if (ending.compare(QLatin1String(kFormats[i].suffix), Qt::CaseInsensitive) == 0)
            m_format->setCurrentIndex(static_cast<int>(i));
    showProblem({});
    refresh();
}

void ChartExportDialog::refresh() {
    const bool table = format() == ChartPanel::Format::Csv;
    m_format->setEnabled(!m_exporting);
    m_file->setEnabled(!m_exporting);
    m_points->setEnabled(!m_exporting && table && m_morePoints);
    m_points->setCurrentIndex(m_morePoints ? m_points->currentIndex() : 1);
    m_labels->setEnabled(!m_exporting && !table);
    cancelButton().setText(m_exporting ? tr("Stop") : tr("Cancel"));
    acceptButton().setText(m_file->verb(tr("Export")));
    acceptButton().setEnabled(!m_exporting && !m_file->text().isEmpty());
}

void ChartExportDialog::start() {
    m_stop = {};
    m_exporting = true;
    showProblem({});
    const auto file = m_file->file();
    runAsync(
        this,
        [work = m_exporter({.format = format(),
                            .labels = m_labels->isChecked(),
                            .allPoints = m_points->currentIndex() == 0}),
         file, agreed = m_file->asked(),
         stop = m_stop.get_token()](std::stop_token) -> std::optional<WriteConfirmation> {
            const auto question = confirmationNeeded(file);
            if (question != WriteConfirmation::None && question != agreed) return question;
            std::error_code unreachable;  // writing says what is the matter
            if (question == WriteConfirmation::CreateFolder)
                std::filesystem::create_directories(file.parent_path(), unreachable);
            try {
                work(file, stop);
            } catch (const Cancelled&) {
                return std::nullopt;
            }
            return WriteConfirmation::None;
        },
        [this, file](std::optional<WriteConfirmation> question) {
            m_exporting = false;
            if (question == WriteConfirmation::None) {
                emit exported(QString::fromStdString(file.string()));
                return accept();
            }
            m_file->ask(question.value_or(WriteConfirmation::None));  // without one it was stopped
            showProblem(m_file->question());
            refresh();
        },
        [this](const Error& error) {
            m_exporting = false;
            showProblem(sanitized(error.full()));
            refresh();
        });
    refresh();
}

void ChartExportDialog::reject() {
    if (m_exporting)
        m_stop.request_stop();
    else
        QDialog::reject();
}

}  // namespace dailies::ui
