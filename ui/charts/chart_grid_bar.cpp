#include "ui/charts/chart_grid_bar.h"

#include "ui/charts/chart_panel.h"
#include "ui/charts/tick_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QSlider>
#include <QToolButton>

#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kSmoothingSteps = 990;  ///< thousandths; above, nothing but the start would be left
constexpr int kMenuMetrics = 40;      ///< more are found by the search box

QToolButton* makeMenuButton(const QString& text, const QString& iconName, const QString& tip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setIcon(icon(iconName));
    button->setIconSize({14, 14});
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFixedHeight(kControlHeight);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setMenu(new QMenu(button));
    return button;
}

QAction* addChoice(QMenu* menu, const QString& text, bool on) {
    auto* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(on);
    return action;
}

}  // namespace

ChartGridBar::ChartGridBar(QWidget* parent)
    : QWidget(parent),
      m_caption(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_search(new QLineEdit),
      m_smoothing(new QSlider(Qt::Horizontal)),
      m_smoothingValue(makeLabel(QStringLiteral("0"), TextStyle::Mono, TextTone::Muted)),
      m_all(new QToolButton),
      m_x(makeMenuButton(tr("step"), QStringLiteral("chevron-down"), tr("What the x axis is"))),
      m_view(makeMenuButton(tr("View"), QStringLiteral("sliders"), tr("Scales, bands and the grid's shape"))),
      m_add(makeMenuButton(tr("Add"), QStringLiteral("plus"), tr("Add a chart"))) {
    auto* row = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    auto* title = makeLabel(tr("Charts"), TextStyle::Strong);
    row->addWidget(title);
    row->addWidget(m_caption);
    row->addStretch();
    m_all->setText(tr("Reset zoom"));
    m_all->setIcon(icon(QStringLiteral("minimize")));
    m_all->setIconSize({14, 14});
    m_all->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_all->setFixedHeight(kControlHeight);
    m_all->setToolTip(tr("Show the whole range again (0, or double-click a chart)"));
    m_all->hide();
    row->addWidget(m_all);
    m_search->setPlaceholderText(tr("Search metrics"));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(120);
    m_search->setMaximumWidth(200);
    m_search->setAccessibleName(tr("Search metrics"));
    row->addWidget(m_search, 1);
    auto* label = makeLabel(tr("Smoothing"), TextStyle::Body, TextTone::Muted);
    label->setBuddy(m_smoothing);
    row->addWidget(label);
    m_smoothing->setRange(0, kSmoothingSteps);
    m_smoothing->setPageStep(50);
    offerField(*m_smoothing);
    setPaletteWords(*m_smoothing, tr("smooth average ema curves"));
    m_smoothing->setFixedWidth(96);
    m_smoothing->setAccessibleName(tr("Smoothing"));
    m_smoothing->setToolTip(tr("Weight of the exponential moving average; the raw values stay behind it"));
    row->addWidget(m_smoothing);
    m_smoothingValue->setFixedWidth(40);
    row->addWidget(m_smoothingValue);
    row->addWidget(m_x);
    row->addWidget(m_view);
    row->addWidget(m_add);
    setLayout(row);
    auto* fit = new FitToWidth(*this);
    fit->iconsOnly({m_all});
    fit->hide(*m_caption);
    fit->iconsOnly({m_view, m_add});
    fit->narrow(*m_search, 80);
    fit->hide(*label);
    fit->hide(*title);
    fit->hide(*m_smoothingValue);

    connect(m_search, &QLineEdit::textChanged, this, &ChartGridBar::searchTextChanged);
    connect(m_all, &QToolButton::clicked, this, &ChartGridBar::zoomResetRequested);
    connect(m_smoothing, &QSlider::valueChanged, this, [this](int value) {
        choose([value](CurveSettings& settings) { settings.smoothing = value / 1000.0; });
    });
    connect(m_x->menu(), &QMenu::aboutToShow, this, &ChartGridBar::fillXMenu);
    connect(m_view->menu(), &QMenu::aboutToShow, this, &ChartGridBar::fillViewMenu);
    connect(m_add->menu(), &QMenu::aboutToShow, this, &ChartGridBar::fillAddMenu);
}

void ChartGridBar::setCaption(const QString& caption) {
    m_caption->setText(caption);
}

QString ChartGridBar::caption() const {
    return m_caption->text();
}

void ChartGridBar::display(const CurveSettings& settings, int columns, bool tall) {
    m_settings = settings;
    m_columns = columns;
    m_tall = tall;
    const QSignalBlocker quiet(m_smoothing);
    m_smoothing->setValue(static_cast<int>(std::lround(settings.smoothing * 1000)));
    m_smoothingValue->setText(QString::number(settings.smoothing, 'f', settings.smoothing > 0 ? 3 : 0));
    m_x->setText(xTitle(settings.x).left(24));
}

void ChartGridBar::setMetrics(const std::vector<std::string>& growing) {
    m_growing = growing;
}

void ChartGridBar::setZoomed(bool on) {
    m_all->setVisible(on);
}

void ChartGridBar::focusSearch() {
    m_search->setFocus();
    m_search->selectAll();
}

void ChartGridBar::choose(const std::function<void(CurveSettings&)>& change) {
    CurveSettings settings = m_settings;
    change(settings);
    display(settings, m_columns, m_tall);
    emit settingsChosen(settings);
}

void ChartGridBar::fillXMenu() {
    QMenu* menu = m_x->menu();
    menu->clear();
    const auto add = [&](const XAxis& axis, const QString& text) {
        connect(addChoice(menu, text, axis == m_settings.x), &QAction::triggered, this,
                [this, axis] { choose([axis](CurveSettings& settings) { settings.x = axis; }); });
    };
    add({XAxis::Kind::Step}, tr("&Step"));
    add({XAxis::Kind::Relative}, tr("Time since s&tart"));
    add({XAxis::Kind::WallTime}, tr("&Wall time"));
    if (!m_growing.empty()) {
        menu->addSeparator();
    }
    for (const auto& key : m_growing) {
        add({XAxis::Kind::Metric, key}, sanitized(key));
    }
    menu->addSeparator();
    connect(addChoice(menu, tr("&Logarithmic"), m_settings.logX), &QAction::toggled, this,
            [this](bool on) { choose([on](CurveSettings& settings) { settings.logX = on; }); });
}

void ChartGridBar::fillViewMenu() {
    QMenu* menu = m_view->menu();
    menu->clear();
    connect(addChoice(menu, tr("&Logarithmic y"), m_settings.logY), &QAction::toggled, this,
            [this](bool on) { choose([on](CurveSettings& settings) { settings.logY = on; }); });
    connect(addChoice(menu, tr("Always show &outliers"), m_settings.showAll), &QAction::toggled, this,
            [this](bool on) { choose([on](CurveSettings& settings) { settings.showAll = on; }); });
    menu->addSection(tr("Band of groups"));
    const auto addSpread = [&](series::Spread spread, const QString& text) {
        connect(addChoice(menu, text, m_settings.spread == spread), &QAction::triggered, this,
                [this, spread] { choose([spread](CurveSettings& settings) { settings.spread = spread; }); });
    };
    addSpread(series::Spread::Deviation, tr("± Standard &deviation"));
    addSpread(series::Spread::Range, tr("&Min–max"));
    addSpread(series::Spread::Confidence, tr("95 % &confidence of the mean"));
    menu->addSection(tr("Grid"));
    const auto addShape = [&](const QString& text, bool on, int columns, bool tall) {
        connect(addChoice(menu, text, on), &QAction::triggered, this, [this, columns, tall] {
            m_columns = columns;
            m_tall = tall;
            emit gridShapeChanged(columns, tall);
        });
    };
    addShape(tr("Columns that &fit"), m_columns == 0, 0, m_tall);
    for (int columns = 1; columns <= 4; ++columns) {
        addShape(columns == 1 ? tr("&1 column") : tr("&%1 columns").arg(columns), m_columns == columns,
                 columns, m_tall);
    }
    menu->addSeparator();
    addShape(tr("&Tall charts"), m_tall, m_columns, !m_tall);
}

void ChartGridBar::fillAddMenu() {
    QMenu* menu = m_add->menu();
    menu->clear();
    menu->setToolTipsVisible(true);
    for (const auto& kind : chartKinds()) {
        auto* action = menu->addAction(kind.title, this, [this, id = kind.id] { emit chartAdded(id); });
        action->setToolTip(kind.purpose);
    }
    if (m_removed.empty() && chartKinds().empty()) {
        auto* none = menu->addAction(tr("Every metric has its chart"));
        none->setEnabled(false);
        excludeFromPalette(*none);
        return;
    }
    if (!m_removed.empty()) {
        menu->addSection(tr("Curves"));
    }
    for (std::size_t i = 0; i < m_removed.size() && i < kMenuMetrics; ++i) {
        menu->addAction(sanitized(m_removed[i]).left(60), this,
                        [this, key = m_removed[i]] { emit metricAdded(key); });
    }
}

}  // namespace dailies::ui
