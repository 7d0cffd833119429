#include "ui/runs/purge_dialog.h"

#include "core/tracking/artifact_root.h"
#include "core/tracking/store.h"
#include "ui/bridge/read_store.h"
#include "ui/runs/run_actions.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>

namespace dailies::ui {

namespace {

constexpr int kPurgeWidth = 440;

struct Contents {
    std::int64_t points = 0, files = 0, bytes = 0;
};

Contents contentsOf(const tracking::Store& store, const std::vector<std::string>& runIds,
                    const std::stop_token& stop) {
    Contents contents;
    std::vector<tracking::CurveKey> keys;
    for (const auto& run : store.runs(runIds)) {
        for (const auto& [key, point] : run.metrics) {
            keys.push_back({run.id, key});
        }
    }
    for (const auto& curve : store.curves(keys, std::nullopt, 1)) {
        contents.points += curve.points;
    }
    for (const auto& id : runIds) {
        std::error_code error;
        const auto folder = tracking::artifactRoot(store.file()) / id;
        for (auto entry = std::filesystem::recursive_directory_iterator(folder, error);
             !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
            if (stop.stop_requested()) {
                throw Cancelled();
            }
            if (entry->is_regular_file(error)) {
                ++contents.files;
                contents.bytes += static_cast<std::int64_t>(entry->file_size(error));
            }
        }
    }
    return contents;
}

}  // namespace

PurgeDialog::PurgeDialog(const std::filesystem::path& storeFile, RunActions& actions,
                         std::vector<std::string> runIds, QWidget* parent)
    : QDialog(parent),
      m_actions(actions),
      m_runIds(std::move(runIds)),
      m_what(makeLabel(tr("Counting what would go…"), TextStyle::Body)),
      m_problem(makeLabel({}, TextStyle::Body, TextTone::Danger)),
      m_progress(new QProgressBar),
      m_cancel(makeButton(tr("Keep them"))),
      m_delete(makeButton(tr("Delete permanently"), ButtonKind::Danger, QStringLiteral("trash"))) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(m_runIds.size() == 1 ? tr("Delete 1 run permanently?")
                                        : tr("Delete %1 runs permanently?").arg(m_runIds.size()));
    setFixedWidth(kPurgeWidth);
    auto* column = makeColumn(space::k12, {space::k24, space::k24, space::k24, space::k24});
    column->addWidget(makeLabel(windowTitle(), TextStyle::Title));
    for (auto* label : {m_what, m_problem}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    auto* warning = makeLabel(tr("This cannot be undone. Files on clusters stay where they are."),
                              TextStyle::Body, TextTone::Muted);
    warning->setWordWrap(true);
    column->addWidget(warning);
    m_problem->hide();
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->hide();
    column->addWidget(m_progress);
    auto* row = makeRow(space::k8);
    row->addStretch();
    row->addWidget(m_cancel);
    row->addWidget(m_delete);
    column->addLayout(row);
    setLayout(column);
    m_delete->setEnabled(false);
    m_cancel->setDefault(true);  // until somebody goes to the other one
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_delete, &QPushButton::clicked, this, &PurgeDialog::start);
    connect(&actions, &RunActions::purged, this, &QDialog::accept);
    connect(&actions, &RunActions::purgeFailed, this, [this](const Error& error) {
        m_deleting = false;
        m_progress->hide();
        m_problem->setText(sanitized(error.full()));
        m_problem->show();
        m_cancel->setEnabled(true);
        m_delete->setEnabled(true);
    });
    count(storeFile);
}

void PurgeDialog::count(const std::filesystem::path& storeFile) {
    readStore(
        this, storeFile,
        [ids = m_runIds](const tracking::Store& store, std::stop_token stop) {
            return contentsOf(store, ids, stop);
        },
        [this](const Contents& contents) {
            const QLocale locale;
            const QString points =
                contents.points == 1 ? tr("1 metric point") : tr("%L1 metric points").arg(contents.points);
            const QString files =
                contents.files == 1 ? tr("1 mirrored file") : tr("%L1 mirrored files").arg(contents.files);
            m_what->setText(tr("%1, params, tags and notes, and %2 (%3) beside the database are deleted.")
                                .arg(points, files, locale.formattedDataSize(contents.bytes)));
            m_counted = true;
            m_delete->setEnabled(true);
        },
        [this](const Error& error) {
            m_problem->setText(sanitized(error.full()));
            m_problem->show();
        });
}

void PurgeDialog::start() {
    m_deleting = true;
    m_problem->hide();
    m_progress->show();
    m_cancel->setEnabled(false);
    m_delete->setEnabled(false);
    m_actions.purge(m_runIds);
}

void PurgeDialog::reject() {
    if (!m_deleting) {
        QDialog::reject();
    }
}

}  // namespace dailies::ui
