#include "ui/datasets/datasets_page.h"

#include "core/base/counts.h"
#include "core/base/text.h"
#include "core/curation/clip_table.h"
#include "ui/bridge/run_async.h"
#include "ui/datasets/caption_field.h"
#include "ui/datasets/clip_wall.h"
#include "ui/datasets/measure_text.h"
#include "ui/datasets/threshold_panel.h"
#include "ui/theme/icons.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/shortcut_card.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QUrl>

#include <algorithm>
#include <array>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kPanelWidth = 308, kNarrowestPanel = 290;

QString countText(std::size_t count) {
    return QString::fromStdString(grouped(static_cast<long long>(count)));
}

QString hoursText(double seconds) {
    const auto text = durationText(std::llround(1000 * seconds));
    return text.empty() ? QStringLiteral("0 s") : QString::fromStdString(text);
}

/// "2:05.3"
QString placeText(double seconds) {
    const int minutes = static_cast<int>(seconds / 60);
    return QStringLiteral("%1:%2").arg(minutes).arg(seconds - 60 * minutes, 4, 'f', 1, QLatin1Char('0'));
}

/// The one folder that is dragged; empty where it is anything else.
std::filesystem::path folderOf(const QMimeData& data) {
    const auto urls = data.urls();
    if (urls.size() != 1 || !urls.front().isLocalFile()) return {};
    std::filesystem::path path = urls.front().toLocalFile().toStdString();
    // which of a folder's files is dragged says which folder is meant
    return path.filename() == curation::kClipListFile ? path.parent_path() : path;
}

}  // namespace

using curation::Correction;

DatasetsPage::DatasetsPage(QWidget* parent)
    : QWidget(parent),
      m_body(new QStackedWidget),
      m_empty(new EmptyState(QStringLiteral("datasets"), tr("No dataset is open"),
                             tr("Cut films into clips with \"dailies-train curate films/ --out set/\", then "
                                "open the folder set: "
                                "every clip with its scores, and thresholds that show at once what stays."))),
      m_wall(new ClipWall(m_model)),
      m_panel(new ThresholdPanel(m_model)),
      m_caption(new CaptionField) {
    setObjectName(QStringLiteral("page"));
    setAttribute(Qt::WA_StyledBackground);
    setAcceptDrops(true);
    setFocusPolicy(Qt::StrongFocus);
    connect(m_empty->addAction(tr("Open a curated folder…"), ButtonKind::Primary), &QPushButton::clicked,
            this, &DatasetsPage::chooseFolder);
    connect(m_empty->addAction(tr("Open one on a cluster…"), ButtonKind::Normal), &QPushButton::clicked, this,
            &DatasetsPage::openRemoteRequested);
    connect(m_empty->addAction(tr("Curate films on a cluster…"), ButtonKind::Normal), &QPushButton::clicked,
            this, &DatasetsPage::curateRequested);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setObjectName(QStringLiteral("clips and rules"));
    split->setChildrenCollapsible(false);
    auto* clips = new QWidget;
    auto* left = makeColumn(0);
    left->addWidget(makeFilterBar());
    left->addWidget(m_wall, 1);
    left->addWidget(makeLine());
    left->addWidget(makeCaptionRow());
    left->addWidget(makeClipBar());
    clips->setLayout(left);
    m_panel->setMinimumWidth(kNarrowestPanel);
    split->addWidget(clips);
    split->addWidget(m_panel);
    split->setStretchFactor(0, 1);
    split->setSizes({10 * kPanelWidth, kPanelWidth});
    m_body->addWidget(m_empty);
    m_body->addWidget(split);
    auto* column = makeColumn(0);
    column->addWidget(makeHeader());
    column->addWidget(m_notice);
    column->addWidget(m_body, 1);
    setLayout(column);
    connectModel();
    refreshState();
    refreshClipBar();
}

DatasetsPage::~DatasetsPage() {
    m_wall->disconnect(this);
    delete m_body;  // what is in it reads the model
}

void DatasetsPage::connectModel() {
    connect(&m_model, &DatasetModel::opened, this, &DatasetsPage::showOpened);
    connect(&m_model, &DatasetModel::judged, this, &DatasetsPage::refresh);
    connect(&m_model, &DatasetModel::stateChanged, this, &DatasetsPage::refreshState);
    connect(&m_model, &DatasetModel::saved, this, &DatasetsPage::notification);
    connect(&m_model, &DatasetModel::failed, this, [this](const Error& error) {
        // on the way to its first folder the page has room to say it
        if (!m_model.folder().folder.empty()) return emit failed(error);
        m_empty->setTexts(sanitized(error.what()), sanitized(error.remedy()));
    });
    connect(m_wall, &ClipWall::selectionChanged, this, &DatasetsPage::refreshClipBar);
    connect(m_wall, &ClipWall::playingChanged, this, &DatasetsPage::refreshClipBar);
    connect(&m_model, &DatasetModel::captionChanged, this, [this] {
        m_order.forgetWords();
        refresh();
    });
    connect(m_caption, &CaptionField::written, this, [this](const QString& text) {
        if (const auto clip = m_wall->selected()) m_model.setCaption(*clip, text.toStdString());
    });
    connect(m_caption, &CaptionField::left, m_wall, qOverload<>(&QWidget::setFocus));
    connect(m_panel, &ThresholdPanel::limitSet, this, &DatasetsPage::showThreshold);
}

void DatasetsPage::open(const std::filesystem::path& folder) {
    m_model.open(folder);
}

void DatasetsPage::chooseFolder() {
    ui::chooseFolder(
        *this, tr("Open a curated folder"), [this](const QString& folder) { open(folder.toStdString()); },
        QString::fromStdString(m_model.folder().folder.parent_path().string()));
}

bool DatasetsPage::isSettled() const {
    return m_model.isSettled() && m_wall->isSettled();
}

void DatasetsPage::showOpened(bool otherFolder) {
    m_order.forget();
    if (otherFolder) {
        m_wall->forget();
        const auto& origin = m_model.folder().origin;
        m_folder->setFullText(
            sanitized(origin ? origin->cluster + ": " + origin->folder : m_model.folder().folder.string()));
        emit folderOpened(QString::fromStdString(m_model.folder().folder.string()));
    }
    nameMeasures();
    const QWidget* focus = window()->focusWidget();
    const bool hadFocus = !focus || focus == this || isAncestorOf(focus);
    m_body->setCurrentIndex(1);
    setFocusProxy(m_wall);
    if (hadFocus && otherFolder) m_wall->setFocus();
    refreshNotice();
    refreshState();
}

void DatasetsPage::nameMeasures() {
    const auto& clips = m_model.clips();
    // numbers of scorers are counted by folder: what was chosen may be another one now
    if (m_filter.measure && static_cast<std::size_t>(*m_filter.measure) >= curation::kMeasures)
        m_filter.measure.reset();
    if (m_filter.reason && static_cast<std::size_t>(*m_filter.reason) >= curation::kReasons)
        m_filter.reason.reset();
    m_filter.alikeTo.reset();
    m_reasons->clear();
    m_reasons->addItem(tr("Any reason"));
    for (std::size_t i = 0; i < clips.reasons(); ++i)
        m_reasons->addItem(reasonText(clips, static_cast<curation::Reason>(i)), static_cast<int>(i));
    m_sort->clear();
    m_sort->addItem(tr("In film order"));
    for (std::size_t i = 0; i < clips.measures(); ++i) {
        const auto text = textOf(clips, static_cast<curation::Measure>(i));
        m_sort->addItem(tr("By %1").arg(text.isScorers ? text.name : text.name.toLower()),
                        static_cast<int>(i));
    }
    setFilter(m_filter);
}

void DatasetsPage::setFilter(const CuratedFilter& filter) {
    m_filter = filter;
    for (std::size_t i = 0; i < m_show.size(); ++i)
        m_show[i]->setChecked(!filter.alikeTo && i == static_cast<std::size_t>(filter.show));
    const QSignalBlocker quiet(m_find);
    if (m_find->text().toStdString() != filter.words) m_find->setText(QString::fromStdString(filter.words));
    m_reasons->setCurrentIndex(filter.reason ? m_reasons->findData(static_cast<int>(*filter.reason)) : 0);
    m_sort->setCurrentIndex(filter.measure ? m_sort->findData(static_cast<int>(*filter.measure)) : 0);
    m_direction->setEnabled(filter.measure.has_value());
    m_direction->setIcon(
        icon(filter.descending ? QStringLiteral("chevron-down") : QStringLiteral("chevron-up")));
    const auto way = filter.descending ? tr("Highest first") : tr("Lowest first");
    m_direction->setToolTip(way);
    m_direction->setAccessibleName(way);
    refresh();
}

void DatasetsPage::refresh() {
    const auto& judged = m_model.judgement();
    m_wall->setSideBySide(m_filter.alikeTo.has_value());
    m_wall->setOrder(
        m_order.arrange(m_model.clips(), judged, m_filter,
                        [this](std::size_t clip) -> const std::string& { return m_model.caption(clip); }),
        m_filter.measure);
    const auto total = m_model.clips().size();
    m_counts->setText(m_model.isWhole() ? tr("%1 of %2 clips · %3 of %4")
                                              .arg(countText(judged.kept), countText(total),
                                                   hoursText(judged.keptSeconds), hoursText(judged.seconds))
                                        : tr("Reading…"));
    nameFilters();
    for (int i = 1; i < m_reasons->count(); ++i) {
        const auto reason = static_cast<curation::Reason>(m_reasons->itemData(i).toInt());
        m_reasons->setItemText(
            i, QStringLiteral("%1 %2").arg(reasonText(m_model.clips(), reason),
                                           countText(judged.dropped[static_cast<std::size_t>(reason)])));
    }
    refreshClipBar();
}

void DatasetsPage::nameFilters() {
    const auto total = m_model.clips().size(), kept = m_model.judgement().kept;
    std::size_t uncaptioned = 0;
    for (std::size_t i = 0; m_model.hasCaptions() && i < total; ++i)
        uncaptioned += m_model.isKept(i) && m_model.caption(i).empty();
    const std::array counts{total, kept, total - kept, uncaptioned};
    const std::array names{tr("All"), tr("Kept"), tr("Dropped"), tr("No caption")};
    m_show.back()->setVisible(m_model.hasCaptions());
    for (std::size_t i = 0; i < m_show.size(); ++i)
        m_show[i]->setText(m_model.isWhole() && m_countsInFilter
                               ? QStringLiteral("%1 %2").arg(names[i], countText(counts[i]))
                               : names[i]);
}

void DatasetsPage::refreshState() {
    const bool isOpen = !m_model.folder().folder.empty();
    const auto& folder = m_model.folder();
    m_counts->setVisible(isOpen);
    m_find->setVisible(isOpen);
    m_reset->setVisible(isOpen);
    m_save->setVisible(isOpen);
    m_openFolder->setVisible(isOpen);
    m_onCluster->setVisible(isOpen);
    m_export->setVisible(isOpen);
    m_train->setVisible(isOpen);
    const QString busy = !m_model.isWhole()   ? tr("The folder is being read")
                         : m_model.isSaving() ? tr("The folder is being saved")
                                              : QString();
    const QString unchanged = tr("Nothing has changed");
    setAvailable(*m_reset, m_model.isChanged() ? busy : unchanged);
    setAvailable(*m_save,
                 m_model.isChanged() || folder.otherVerdicts > 0 || (folder.origin && folder.origin->unsent)
                     ? busy
                     : unchanged);
    setAvailable(*m_export,
                 m_model.isChanged() ? tr("Save first: the table has the verdicts of the folder") : busy);
    const bool isUnsent = folder.origin && folder.origin->unsent;
    setAvailable(*m_train, m_model.isChanged() ? tr("Save first: training reads what the folder has")
                           : isUnsent          ? tr("Connect and save first: the cluster has older verdicts")
                                               : QString());
    refreshNotice();
}

void DatasetsPage::exportTable() {
    const auto folder = m_model.folder().folder;
    chooseNewFile(
        *this, tr("Export the clips that are kept"),
        tr("CSV, as Open-Sora reads it (*.csv);;JSON lines, as musubi-tuner reads them (*.jsonl)"),
        [this, folder](const QString& chosen) {
            const std::filesystem::path file(chosen.toStdString());
            const auto format = file.extension() == ".jsonl" ? curation::ClipTableFormat::JsonLines
                                                             : curation::ClipTableFormat::Csv;
            runAsync(
                this,
                [=](const std::stop_token& stop) {
                    return curation::writeClipTable(folder, file, {.format = format}, stop);
                },
                [this, chosen](const curation::WrittenClipTable& written) {
                    emit notification(tr("%1, written to %2")
                                          .arg(sanitized(written.text()), sanitized(chosen.toStdString())));
                },
                [this](const Error& error) { emit failed(error); });
        },
        QString::fromStdString((folder.parent_path() / (folder.filename().string() + ".csv")).string()),
        QStringLiteral("csv"));
}

void DatasetsPage::refreshNotice() {
    const auto& folder = m_model.folder();
    QStringList problems;
    if (!folder.unread.empty())
        problems << tr("%1 of clips.jsonl could not be read and will stay as they are (line %2: %3)")
                        .arg(QString::fromStdString(
                            pluralize(static_cast<long long>(folder.unread.size()), "line", "lines")))
                        .arg(folder.unread.front().line)
                        .arg(sanitized(folder.unread.front().why));
    if (!folder.missingFilms.empty())
        problems << tr("%1 not there: %2")
                        .arg(QString::fromStdString(pluralize(
                                 static_cast<long long>(folder.missingFilms.size()), "film is", "films are")),
                             sanitized(folder.missingFilms.front()));
    if (folder.otherVerdicts > 0)
        problems << tr("clips.jsonl has other verdicts than these rules for %1; Save writes these")
                        .arg(QString::fromStdString(
                            pluralize(static_cast<long long>(folder.otherVerdicts), "clip", "clips")));
    if (folder.origin && folder.origin->unsent)
        problems << tr("Saved on this computer; %1 has not got it yet. Connect and save to send it")
                        .arg(sanitized(folder.origin->cluster));
    m_notice->setFullText(problems.join(QStringLiteral("  ·  ")));
    m_notice->setVisible(!problems.isEmpty());
}

void DatasetsPage::refreshClipBar() {
    const auto clip = m_wall->selected();
    const QString none = tr("Select a clip first");
    for (auto* button : {m_play, m_keep, m_drop}) setAvailable(*button, clip ? QString() : none);
    const auto correction = clip ? m_model.correction(*clip) : Correction::None;
    setAvailable(*m_takeBack, !clip                            ? none
                              : correction == Correction::None ? tr("Nobody has judged this clip by hand")
                                                               : QString());
    const auto alike = clip ? m_model.clips().alike(*clip).size() : 0;
    m_alike->setVisible(alike > 1);
    m_alike->setText(tr("Alike %1").arg(countText(alike)));
    m_alike->setChecked(m_filter.alikeTo.has_value());
    m_keep->setChecked(correction == Correction::Keep);
    m_drop->setChecked(correction == Correction::Drop);
    m_play->setText(m_wall->isPlaying() ? tr("Pause") : tr("Play"));
    m_play->setIcon(icon(m_wall->isPlaying() ? QStringLiteral("pause") : QStringLiteral("play")));
    refreshCaption();
    if (!clip) return m_clip->setFullText(tr("No clip is selected"));
    const auto& clips = m_model.clips();
    const auto& record = clips[*clip];
    QStringList parts{sanitized(std::filesystem::path(record.source).filename().string()),
                      QStringLiteral("%1–%2").arg(placeText(record.start), placeText(record.end)),
                      QStringLiteral("%1×%2").arg(record.crop.width).arg(record.crop.height)};
    // shown alone, a clip has no caption
    if (const auto reasons = m_model.judgement().reasons[*clip]; reasons != 0)
        parts.prepend(tr("dropped: %1").arg(reasonsText(clips, reasons)));
    for (std::size_t m = curation::kMeasures; m < clips.measures(); ++m)
        if (const auto measure = static_cast<curation::Measure>(m); !std::isnan(clips.column(measure)[*clip]))
            parts << QStringLiteral("%1 %2").arg(textOf(clips, measure).name,
                                                 valueText(clips, measure, clips.column(measure)[*clip]));
    using curation::Measure;
    for (const auto measure : {Measure::Motion, Measure::Sharpness, Measure::Contrast, Measure::Luma,
                               Measure::Frozen, Measure::Black, Measure::White})
        parts << QStringLiteral("%1 %2").arg(textOf(clips, measure).name.toLower(),
                                             valueText(clips, measure, clips.column(measure)[*clip]));
    m_clip->setFullText(parts.join(QStringLiteral(" · ")));
}

void DatasetsPage::refreshCaption() {
    const auto clip = m_wall->selected();
    m_captionRow->setVisible(clip.has_value());
    if (!clip) return m_caption->showNone();
    QString why = tr("No caption yet: write one, or let a model with \"dailies-train caption\"");
    const auto& failed = m_model.failedCaptions();
    if (const auto found = failed.find(m_model.clips()[*clip].id); found != failed.end())
        why = tr("No caption: what the model said was %1. %2")
                  .arg(QLatin1String(curation::toText(found->second.status)), sanitized(found->second.text));
    m_caption->showCaption(QString::fromStdString(m_model.caption(*clip)), why);
}

/// The wall is brought to where the limit cuts through the clips: what is just kept beside what is just not.
void DatasetsPage::showThreshold(curation::Measure measure, std::optional<double> limit) {
    if (m_filter.measure != measure) {
        auto filter = m_filter;
        filter.measure = measure;
        filter.descending = false;
        setFilter(filter);
    }
    if (!limit) return m_wall->reveal(0);
    const auto values = m_model.clips().column(measure);
    const auto& order = m_wall->order();
    const auto edge = std::ranges::partition_point(order, [&](auto clip) {
        return m_filter.descending ? values[clip] > *limit : values[clip] < *limit;
    });
    m_wall->reveal(static_cast<int>(edge - order.begin()));
}

void DatasetsPage::showAlike(bool on) {
    auto filter = m_filter;
    filter.alikeTo.reset();
    const auto clip = m_wall->selected();
    if (on && clip && m_model.clips().alike(*clip).size() > 1) filter.alikeTo = *clip;
    setFilter(filter);
    if (clip) {
        const auto& order = m_wall->order();
        if (const auto place = std::ranges::find(order, *clip); place != order.end())
            m_wall->select(static_cast<int>(place - order.begin()));
    }
}

void DatasetsPage::correct(Correction correction) {
    if (const auto clip = m_wall->selected()) m_model.correct(*clip, correction);
}

// -- events

void DatasetsPage::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Save)) return m_save->click();
    if (event->matches(QKeySequence::Find)) return m_find->setFocus(Qt::ShortcutFocusReason);
    if (event->text() == QLatin1String("?")) return showKeys();
    // letters that a number field did not want are no judgement
    if (!m_wall->hasFocus() || event->modifiers() & ~Qt::KeypadModifier) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_K:
            return correct(Correction::Keep);
        case Qt::Key_X:
            return correct(Correction::Drop);
        case Qt::Key_D:
            return showAlike(!m_filter.alikeTo);
        case Qt::Key_C:
            return m_caption->setFocus(Qt::ShortcutFocusReason);
        case Qt::Key_Backspace:
            return correct(Correction::None);
        default:
            QWidget::keyPressEvent(event);
    }
}

void DatasetsPage::showKeys() {
    auto* card = new ShortcutCard(tr("Datasets"),
                                  {{tr("Clips"),
                                    {{QStringLiteral("← → ↑ ↓"), tr("Select a clip")},
                                     {tr("Space"), tr("Play or pause the selected clip")},
                                     {tr("Return, Esc"), tr("Show it alone, and back")},
                                     {QStringLiteral("D"), tr("Show what is like it side by side, and back")},
                                     {QStringLiteral("K"), tr("Keep it by hand")},
                                     {QStringLiteral("X"), tr("Drop it by hand")},
                                     {tr("Backspace"), tr("Let the rules decide again")},
                                     {QStringLiteral("C"), tr("Write its caption; Return keeps it")},
                                     {QStringLiteral("Ctrl+F"), tr("Find clips by film and caption")}}},
                                   {tr("Rules"),
                                    {{tr("Tab"), tr("From field to field")},
                                     {QStringLiteral("↑ ↓"), tr("Move a threshold")},
                                     {QStringLiteral("Ctrl+S"), tr("Save rules, verdicts and captions")}}}},
                                  this);
    card->setAttribute(Qt::WA_DeleteOnClose);
    card->open();
}

void DatasetsPage::dragEnterEvent(QDragEnterEvent* event) {
    if (!folderOf(*event->mimeData()).empty()) event->acceptProposedAction();
}

void DatasetsPage::dropEvent(QDropEvent* event) {
    open(folderOf(*event->mimeData()));
    event->acceptProposedAction();
}

}  // namespace dailies::ui
