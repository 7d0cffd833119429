#include "ui/charts/chart_export_dialog.h"

#include "core/base/error.h"
#include "ui/bridge/run_async.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QGridLayout>
#include <QPushButton>

#include <array>
#include <optional>

namespace dailies::ui {

namespace {

constexpr int kLongestName = 80;

/// In the order of `formats`.
constexpr std::array kFormats{ChartPanel::Format::Png, ChartPanel::Format::Svg, ChartPanel::Format::Pdf,
                              ChartPanel::Format::Csv};

std::vector<OutputFormatBox::Format> formats() {
    return {{QStringLiteral("png"), ChartExportDialog::tr("PNG: a picture")},
            {QStringLiteral("svg"), ChartExportDialog::tr("SVG: a drawing, sharp at any size")},
            {QStringLiteral("pdf"), ChartExportDialog::tr("PDF: a page, for papers")},
            {QStringLiteral("csv"), ChartExportDialog::tr("CSV: the values")}};
}

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
      m_file(new OutputFileField),
      m_format(new OutputFormatBox(formats(), *m_file)),
      m_points(new QComboBox),
      m_labels(new QCheckBox(tr("Title and names"))) {
    auto* chart = makeLabel(title, TextStyle::Body, TextTone::Muted);
    chart->setWordWrap(true);
    form().addWidget(chart);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k8);
    grid->setColumnStretch(1, 1);
    addField(*grid, tr("Format"), m_format, tr("Pictures show the chart as it is on the screen"));
    m_points->addItem(tr("All points in the database"));
    m_points->addItem(tr("As drawn: the range, smoothing and resolution on the screen"));
    addField(*grid, tr("Values"), m_points, tr("Which values a table holds"));
    addField(*grid, tr("File"), m_file, tr("It appears whole or not at all"));
    m_labels->setChecked(true);
    m_labels->setToolTip(tr("Say what is shown, and which run is which; leave it out where a caption does"));
    grid->addWidget(m_labels, grid->rowCount(), 1);
    form().addLayout(grid);

    m_file->setFile(QDir::home().filePath(fileName(title) + QStringLiteral(".png")));
    connect(m_format, &QComboBox::currentIndexChanged, this, &ChartExportDialog::refresh);
    connect(m_file, &OutputFileField::changed, this, [this] {
        showProblem({});
        refresh();
    });
    connect(&acceptButton(), &QPushButton::clicked, this, &ChartExportDialog::start);
    refresh();
}

ChartExportDialog::~ChartExportDialog() {
    m_stop.request_stop();
}

ChartPanel::Format ChartExportDialog::format() const {
    return kFormats[static_cast<std::size_t>(m_format->currentIndex())];
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
            if (const auto question = prepareToWrite(file, agreed); question != WriteConfirmation::None)
                return question;
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
