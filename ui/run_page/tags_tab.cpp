#include "ui/run_page/tags_tab.h"

#include "ui/bridge/write_store.h"
#include "ui/theme/icons.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QBoxLayout>
#include <QCheckBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QStackedLayout>
#include <QTableWidget>

namespace dailies::ui {

namespace {

bool isSystem(const std::string& key) {
    return key.starts_with("mlflow.") || key.starts_with("dailies.");
}

}  // namespace

TagsTab::TagsTab(std::filesystem::path storeFile, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_body(new QStackedLayout),
      m_table(new QTableWidget(0, 2)),
      m_nothing(new EmptyState(QStringLiteral("tag"), tr("No tags yet"),
                               tr("A tag says what a run means to you: verdict = diverged, paper = figure 3. "
                                  "Name one above; the run "
                                  "table filters, groups and sorts by it."))),
      m_key(new QLineEdit),
      m_value(new QLineEdit),
      m_add(makeButton(tr("Add"), ButtonKind::Primary, QStringLiteral("plus"))),
      m_remove(makeButton(tr("Remove"), ButtonKind::Normal, QStringLiteral("trash"))),
      m_system(new QCheckBox(tr("Show system tags"))) {
    m_key->setPlaceholderText(tr("Tag"));
    m_key->setAccessibleName(tr("New tag's name"));
    m_key->setMaximumWidth(220);
    m_value->setPlaceholderText(tr("Value (may be empty)"));
    m_value->setAccessibleName(tr("New tag's value"));
    m_value->setMaximumWidth(320);
    auto* bar = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    bar->addWidget(m_key, 1);
    bar->addWidget(m_value, 1);
    bar->addWidget(m_add);
    bar->addWidget(m_remove);
    bar->addStretch();
    bar->addWidget(m_system);

    m_table->setHorizontalHeaderLabels({tr("Tag"), tr("Value")});
    configureRowList(*m_table, tr("Tags"));
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_table->setColumnWidth(0, 280);
    auto* column = makeColumn(0);
    column->addLayout(bar);
    column->addWidget(makeLine());
    m_body->addWidget(m_table);
    m_body->addWidget(m_nothing);
    column->addLayout(m_body, 1);
    setLayout(column);

    const auto showButtons = [this] {
        setAvailable(*m_add, m_key->text().trimmed().isEmpty() ? tr("Write a key first") : QString());
        const auto* item = m_table->currentRow() < 0 ? nullptr : m_table->item(m_table->currentRow(), 0);
        const bool own = item && !isSystem(item->text().toStdString());
        setAvailable(*m_remove, own ? QString() : tr("Choose a tag of yours first"));
    };
    connect(m_key, &QLineEdit::textChanged, this, showButtons);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, showButtons);
    connect(m_key, &QLineEdit::returnPressed, this, &TagsTab::addTyped);
    connect(m_value, &QLineEdit::returnPressed, this, &TagsTab::addTyped);
    connect(m_add, &QPushButton::clicked, this, &TagsTab::addTyped);
    connect(m_remove, &QPushButton::clicked, this, &TagsTab::removeCurrent);
    connect(m_system, &QCheckBox::toggled, this, &TagsTab::refill);
    connect(m_table, &QTableWidget::itemChanged, this, [this](const QTableWidgetItem* item) {
        if (!m_filling && item->column() == 1)
            put(m_table->item(item->row(), 0)->data(Qt::UserRole).toString().toStdString(),
                item->text().toStdString());
    });
    auto* erase = new QAction(this);
    erase->setShortcut(QKeySequence::Delete);
    erase->setShortcutContext(Qt::WidgetShortcut);
    connect(erase, &QAction::triggered, this, &TagsTab::removeCurrent);
    m_table->addAction(erase);
    m_remove->setToolTip(tr("Remove the chosen tag (Del)"));
    showButtons();
}

void TagsTab::setRun(const tracking::Run& run) {
    std::map<std::string, std::string> tags;
    for (const auto& [key, value] : run.tags) tags.emplace(key, value);
    if (run.id == m_runId && tags == m_tags) return;  // an editor that is open stays open
    m_runId = run.id;
    m_tags = std::move(tags);
    refill();
}

void TagsTab::refill() {
    m_filling = true;
    m_table->setRowCount(0);
    for (const auto& [key, value] : m_tags) {
        if (isSystem(key) && !m_system->isChecked()) continue;
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        auto* name = new QTableWidgetItem(sanitized(key));
        name->setData(Qt::UserRole, QString::fromStdString(key));
        name->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        auto* text = new QTableWidgetItem(sanitized(value));
        text->setToolTip(isSystem(key) ? tr("Set by Dailies or MLflow") : tr("Double click or F2 to change"));
        if (isSystem(key)) text->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
        m_table->setItem(row, 0, name);
        m_table->setItem(row, 1, text);
    }
    m_filling = false;
    m_body->setCurrentWidget(m_table->rowCount() > 0 ? static_cast<QWidget*>(m_table) : m_nothing);
}

void TagsTab::addTyped() {
    const std::string key = m_key->text().trimmed().toStdString();
    if (key.empty()) return;
    if (isSystem(key)) {
        emit failed(InputError("The tag " + key + " belongs to the program itself.",
                               "Choose a name that does not begin with dailies. or mlflow."));
        return;
    }
    put(key, m_value->text().toStdString());
    m_key->clear();
    m_value->clear();
    m_key->setFocus();
}

void TagsTab::removeCurrent() {
    const auto* item = m_table->currentRow() < 0 ? nullptr : m_table->item(m_table->currentRow(), 0);
    if (item && !isSystem(item->text().toStdString()))
        remove(item->data(Qt::UserRole).toString().toStdString());
}

void TagsTab::put(const std::string& key, const std::string& value) {
    writeStore(
        this, m_storeFile,
        [id = m_runId, key, value](tracking::Store& store) { store.setTag(id, key, value); },
        [this] { emit changed(); }, [this](const Error& error) { emit failed(error); });
}

void TagsTab::remove(const std::string& key) {
    writeStore(
        this, m_storeFile, [id = m_runId, key](tracking::Store& store) { store.removeTag({id}, key); },
        [this] { emit changed(); }, [this](const Error& error) { emit failed(error); });
}

}  // namespace dailies::ui
