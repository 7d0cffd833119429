// The bars of the Datasets page: what is open and what stays, which clips are shown, the selected one.
#include "ui/datasets/caption_field.h"
#include "ui/datasets/clip_wall.h"
#include "ui/datasets/datasets_page.h"
#include "ui/theme/icons.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/message_hints.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

namespace dailies::ui {

namespace {
constexpr int kBarHeight = 44;
constexpr int kNarrowestChoice = 88, kReasonLetters = 10;
constexpr int kFindWidth = 180, kNarrowestFind = 96;
constexpr int kLeastOfClip = 180;  ///< its film and place
}  // namespace

QWidget* DatasetsPage::makeHeader() {
    auto* bar = makePageBar();
    auto* row = makeRow(space::k8, {space::k16, 0, space::k16, 0});
    auto* title = makeLabel(tr("Datasets"), TextStyle::Display);
    m_folder = new ElidedLabel(TextStyle::Body, TextTone::Muted);
    m_counts = makeLabel({}, TextStyle::Strong);
    m_find = makeFindField();
    m_openFolder = makeIconButton(QStringLiteral("folder"), tr("Open a curated folder…"));
    m_onCluster = makeIconButton(QStringLiteral("cluster"), tr("On a cluster"));
    auto* menu = new QMenu(m_onCluster);
    menu->addAction(tr("Open a curated folder…"), this, &DatasetsPage::openRemoteRequested);
    menu->addAction(tr("Curate films…"), this, &DatasetsPage::curateRequested);
    menu->addAction(tr("Caption clips…"), this, &DatasetsPage::captionRequested);
    menu->addAction(tr("Score clips…"), this, &DatasetsPage::scoreRequested);
    menu->addAction(tr("Pack clips into shards…"), this, &DatasetsPage::shardRequested);
    m_onCluster->setMenu(menu);
    m_onCluster->setPopupMode(QToolButton::InstantPopup);
    m_export = makeIconButton(QStringLiteral("open"), tr("Export the clips that are kept as a table…"));
    m_train = makeIconButton(QStringLiteral("launch"), tr("Train on the clips that are kept…"));
    m_reset = makeButton(tr("Reset"), ButtonKind::Ghost);
    m_save = makeButton(tr("Save"), ButtonKind::Primary);
    m_reset->setToolTip(tr("Back to the rules, corrections and captions that the folder has"));
    m_save->setToolTip(tr("Write rules, corrections, captions and verdicts into the folder (Ctrl+S)"));
    row->addWidget(title);
    row->addSpacing(space::k8);
    row->addWidget(m_folder, 1);
    row->addWidget(m_find);
    row->addWidget(m_counts);
    row->addSpacing(space::k8);
    for (QAbstractButton* button :
         {static_cast<QAbstractButton*>(m_openFolder), static_cast<QAbstractButton*>(m_onCluster),
          static_cast<QAbstractButton*>(m_export), static_cast<QAbstractButton*>(m_train),
          static_cast<QAbstractButton*>(m_reset), static_cast<QAbstractButton*>(m_save)}) {
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    bar->setLayout(row);
    auto* fit = new FitToWidth(*bar);
    fit->hide(*title);
    fit->narrow(*m_find, kNarrowestFind);
    keepClearOfMessages(*bar);
    m_notice = new ElidedLabel(TextStyle::Body, TextTone::Warning);
    m_notice->setContentsMargins(space::k16, space::k8, space::k16, space::k8);
    m_notice->hide();
    connect(m_openFolder, &QToolButton::clicked, this, &DatasetsPage::chooseFolder);
    connect(m_export, &QToolButton::clicked, this, &DatasetsPage::exportTable);
    connect(m_train, &QToolButton::clicked, this, [this] {
        const auto& folder = m_model.folder();
        emit trainRequested(
            QString::fromStdString(folder.origin ? folder.origin->folder : folder.folder.string()));
    });
    connect(m_reset, &QPushButton::clicked, &m_model, &DatasetModel::reset);
    connect(m_save, &QPushButton::clicked, &m_model, &DatasetModel::save);
    return bar;
}

QLineEdit* DatasetsPage::makeFindField() {
    auto* field = new QLineEdit;
    field->setPlaceholderText(tr("Find"));
    field->setAccessibleName(tr("Find clips by film and caption"));
    field->setToolTip(tr("Clips whose film or caption has these words (Ctrl+F)"));
    field->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    field->setClearButtonEnabled(true);
    for (auto* button : field->findChildren<QToolButton*>()) button->setAccessibleName(tr("Find"));
    field->setFixedWidth(kFindWidth);
    connect(field, &QLineEdit::textChanged, this, [this](const QString& text) {
        auto filter = m_filter;
        filter.alikeTo.reset();
        filter.words = text.toStdString();
        setFilter(filter);
    });
    return field;
}

QWidget* DatasetsPage::makeFilterBar() {
    auto* bar = new QWidget;
    bar->setFixedHeight(kBarHeight);
    auto* row = makeRow(space::k4, {space::k16, 0, space::k16, 0});
    for (int i = 0; i < 4; ++i) {
        auto* button = makeButton({}, ButtonKind::Ghost);
        button->setCheckable(true);
        button->setChecked(i == 0);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
        m_show.push_back(button);
        connect(button, &QPushButton::clicked, this, [this, i] {
            auto filter = m_filter;
            filter.alikeTo.reset();
            filter.show = static_cast<CuratedFilter::Show>(i);
            if (filter.show != CuratedFilter::Show::Dropped) filter.reason.reset();
            setFilter(filter);
        });
    }
    m_reasons = new QComboBox;
    m_reasons->setAccessibleName(tr("Reason"));
    m_reasons->setFocusPolicy(Qt::TabFocus);
    // counts that change with every step of a threshold are not to lay out the bar anew
    m_reasons->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_reasons->setMinimumContentsLength(kReasonLetters);
    m_sort = new QComboBox;
    m_sort->setAccessibleName(tr("Sort by"));
    m_sort->setFocusPolicy(Qt::TabFocus);
    m_direction = makeIconButton(QStringLiteral("chevron-up"), tr("Lowest first"));
    m_direction->setFocusPolicy(Qt::TabFocus);
    m_direction->setEnabled(false);
    row->addStretch();
    row->addWidget(m_reasons);
    row->addWidget(m_sort);
    row->addWidget(m_direction);
    bar->setLayout(row);
    auto* fit = new FitToWidth(*bar);
    fit->narrow(*m_reasons, kNarrowestChoice);
    fit->narrow(*m_sort, kNarrowestChoice);
    fit->addStep([this](bool tight) {
        m_countsInFilter = !tight;
        nameFilters();
    });
    connect(m_reasons, &QComboBox::activated, this, [this] {
        auto filter = m_filter;
        filter.alikeTo.reset();
        filter.reason.reset();
        if (const auto chosen = m_reasons->currentData(); chosen.isValid()) {
            filter.reason = static_cast<curation::Reason>(chosen.toInt());
            filter.show = CuratedFilter::Show::Dropped;
        }
        setFilter(filter);
    });
    connect(m_sort, &QComboBox::activated, this, [this] {
        auto filter = m_filter;
        filter.measure.reset();
        if (const auto chosen = m_sort->currentData(); chosen.isValid())
            filter.measure = static_cast<curation::Measure>(chosen.toInt());
        setFilter(filter);
    });
    connect(m_direction, &QToolButton::clicked, this, [this] {
        auto filter = m_filter;
        filter.descending = !filter.descending;
        setFilter(filter);
    });
    return bar;
}

QWidget* DatasetsPage::makeCaptionRow() {
    m_captionRow = new QWidget;
    auto* row = makeRow(0, {space::k12, space::k8, space::k12, 0});
    row->addWidget(m_caption);
    m_captionRow->setLayout(row);
    return m_captionRow;
}

QWidget* DatasetsPage::makeClipBar() {
    auto* bar = new QWidget;
    bar->setFixedHeight(kBarHeight);
    auto* row = makeRow(space::k4, {space::k16, 0, space::k16, 0});
    m_clip = new ElidedLabel(TextStyle::Caption, TextTone::Muted);
    m_clip->setMinimumWidth(kLeastOfClip);
    row->addWidget(m_clip, 1);
    const auto add = [&](const QString& name, const char* iconName, const QString& tip, auto call) {
        auto* button = makeButton(name, ButtonKind::Ghost, QLatin1String(iconName));
        button->setToolTip(tip);
        button->setFocusPolicy(Qt::TabFocus);
        setActsOnSelection(*button);
        row->addWidget(button);
        connect(button, &QPushButton::clicked, this, call);
        return button;
    };
    m_alike = add(tr("Alike"), "copy", tr("Show duplicates and what scorers find alike side by side (D)"),
                  [this] { showAlike(!m_filter.alikeTo); });
    m_play =
        add(tr("Play"), "play", tr("Play the selected clip (Space)"), [this] { m_wall->togglePlaying(); });
    m_keep = add(tr("Keep"), "check", tr("Keep the selected clip whatever the rules say (K)"), [this] {
        correct(curation::Correction::Keep);
        refreshClipBar();
    });
    m_drop = add(tr("Drop"), "close", tr("Drop the selected clip whatever the rules say (X)"), [this] {
        correct(curation::Correction::Drop);
        refreshClipBar();
    });
    m_takeBack =
        add(tr("By rules"), "undo", tr("Let the rules decide on the selected clip again (Backspace)"),
            [this] { correct(curation::Correction::None); });
    for (auto* button : {m_alike, m_keep, m_drop}) button->setCheckable(true);
    bar->setLayout(row);
    auto* fit = new FitToWidth(*bar);
    fit->iconsOnly({m_alike, m_play, m_keep, m_drop, m_takeBack});
    return bar;
}

}  // namespace dailies::ui
