#include "ui/run_page/config_tab.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/compare/params_yaml.h"
#include "core/config/value_text.h"
#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>

#include <algorithm>
#include <map>

namespace dailies::ui {

namespace {

constexpr int kKeyWidth = 280;
constexpr int kMinValueWidth = 260;
constexpr int kUnitWidth = 90;
constexpr int kDefaultWidth = 260;              ///< what a long value leaves to the last column
constexpr int kChangedRole = Qt::UserRole + 1;  ///< true: not the default

QString defaultText(const config::Field& field) {
    return sanitized(config::paramText(field.key, field.defaultValue()));
}

bool isDefault(const config::Field& field, const std::string& text) {
    try {
        return config::parseParam(field, text) == field.defaultValue();
    } catch (const Error&) {
        return false;  // another version's idea of this key
    }
}

QList<QStandardItem*> makeRow(const QString& name) {
    QList<QStandardItem*> row;
    for (int column = 0; column < 4; ++column) {
        row << new QStandardItem;
        row.back()->setEditable(false);
    }
    row[0]->setText(name);
    return row;
}

QList<QStandardItem*> makeLeaf(const std::string& name, const std::string& key, const std::string& value) {
    auto row = makeRow(sanitized(name));
    row[1]->setText(sanitized(value));
    row[1]->setFont(Theme::font(TextStyle::Mono));
    row[1]->setIcon(icon(QStringLiteral("dot"), Qt::transparent));  // values stay in line with marked ones
    QString tip = sanitized(key);
    if (const auto* field = config::findField(key)) {
        row[2]->setText(sanitized(field->unit));
        row[3]->setText(defaultText(*field));
        row[3]->setFont(Theme::font(TextStyle::Mono));
        if (!isDefault(*field, value)) {
            row[1]->setIcon(icon(QStringLiteral("dot"), colors().accent));
            row[1]->setData(true, kChangedRole);
            row[1]->setAccessibleText(QObject::tr("%1, not the default").arg(row[1]->text()));
        }
        tip += QStringLiteral("\n%1. %2\n%3")
                   .arg(sanitized(field->label), sanitized(field->doc),
                        QObject::tr("Accepts %1.").arg(sanitized(field->accepted())));
    }
    for (auto* item : row) {
        item->setToolTip(tip);
        item->setData(QStringLiteral("%1 %2 %3").arg(sanitized(key), row[1]->text(), row[2]->text()),
                      Qt::UserRole);
    }
    return row;
}

}  // namespace

ConfigTab::ConfigTab(QWidget* parent)
    : QWidget(parent),
      m_model(new QStandardItemModel(this)),
      m_filter(new QSortFilterProxyModel(this)),
      m_tree(new QTreeView),
      m_search(new QLineEdit),
      m_count(makeLabel({}, TextStyle::Body, TextTone::Muted)) {
    auto* bar = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    m_search->setPlaceholderText(tr("Find a key or a value"));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(320);
    m_search->setAccessibleName(tr("Find a key or a value"));
    m_search->setToolTip(tr("Ctrl+F"));
    bar->addWidget(m_search, 1);
    bar->addWidget(m_count);
    bar->addStretch();
    auto* copy = makeButton(tr("Copy YAML"), ButtonKind::Normal, QStringLiteral("copy"));
    copy->setToolTip(tr("The whole configuration, as a sweep file's config takes it"));
    connect(copy, &QPushButton::clicked, this, [this] {
        QApplication::clipboard()->setText(m_yaml);
        emit notification(tr("Copied the configuration as YAML"));
    });
    bar->addWidget(copy);

    m_filter->setSourceModel(m_model);
    m_filter->setFilterRole(Qt::UserRole);
    m_filter->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_filter->setRecursiveFilteringEnabled(true);
    m_tree->setModel(m_filter);
    m_tree->setAccessibleName(tr("Configuration"));
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(false);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->setIconSize({10, 10});
    m_tree->setFrameShape(QFrame::NoFrame);
    auto* column = makeColumn(0);
    column->addLayout(bar);
    column->addWidget(makeLine());
    column->addWidget(m_tree, 1);
    setLayout(column);
    connect(m_search, &QLineEdit::textChanged, this, &ConfigTab::refilter);
}

void ConfigTab::setRun(const tracking::Run& run) {
    const std::string yaml = compare::paramsToYaml(run);
    if (yaml + run.id == m_shown) return;  // params hardly ever change, and a rebuilt tree forgets its folds
    m_shown = yaml + run.id;
    m_yaml = QString::fromStdString(yaml);
    m_model->clear();
    m_model->setHorizontalHeaderLabels({tr("Key"), tr("Value"), tr("Unit"), tr("Default")});

    std::map<std::string, std::string> rest;
    for (const auto& [key, value] : run.params) rest.emplace(key, value);
    std::map<std::string, QStandardItem*> groups;
    std::size_t changed = 0;
    const auto add = [&](const std::string& key, const std::string& value) {
        QStandardItem* parent = m_model->invisibleRootItem();
        const auto parts = split(key, '.');
        std::string path;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            path += (i == 0 ? "" : ".") + parts[i];
            auto [group, isNew] = groups.try_emplace(path, nullptr);
            if (isNew) {
                auto row = makeRow(sanitized(parts[i]));
                row[0]->setFont(Theme::font(TextStyle::Strong));
                parent->appendRow(row);
                group->second = row[0];
            }
            parent = group->second;
        }
        auto leaf = makeLeaf(parts.empty() ? key : parts.back(), key, value);
        changed += leaf[1]->data(kChangedRole).toBool();
        parent->appendRow(leaf);
    };
    for (const auto& field : config::trainSchema())
        if (auto found = rest.extract(field.key)) add(found.key(), found.mapped());
    for (const auto& [key, value] : rest) add(key, value);

    const QString keys = run.params.size() == 1 ? tr("1 key") : tr("%1 keys").arg(run.params.size());
    m_count->setText(run.params.empty() ? tr("Nothing recorded")
                     : changed == 0     ? keys
                                        : tr("%1, %2 changed from the default").arg(keys).arg(changed));
    m_tree->setColumnWidth(0, kKeyWidth);
    m_tree->setColumnWidth(2, kUnitWidth);
    m_tree->expandAll();
    fitValues();
}

void ConfigTab::fitValues() {
    const QFontMetrics mono(Theme::font(TextStyle::Mono));
    int widest = 0;
    const auto measure = [&](const auto& self, const QStandardItem* parent) -> void {
        for (int row = 0; row < parent->rowCount(); ++row) {
            widest = std::max(widest, mono.horizontalAdvance(parent->child(row, 1)->text()));
            self(self, parent->child(row, 0));
        }
    };
    measure(measure, m_model->invisibleRootItem());
    const int room = m_tree->viewport()->width() - kKeyWidth - kUnitWidth - kDefaultWidth;
    const int wanted = widest + m_tree->iconSize().width() + space::k24;
    m_tree->setColumnWidth(1, std::max(kMinValueWidth, std::min(wanted, room)));
}

void ConfigTab::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layout()->activate();  // the tree's own width, of now
    fitValues();
}

void ConfigTab::refilter() {
    m_filter->setFilterFixedString(m_search->text().trimmed());
    m_tree->expandAll();
}

void ConfigTab::focusSearch() {
    m_search->setFocus();
    m_search->selectAll();
}

}  // namespace dailies::ui
