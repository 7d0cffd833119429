#include "ui/runs/tag_editor.h"

#include "ui/run_details/run_columns.h"
#include "ui/theme/theme.h"
#include "ui/widgets/form_dialog.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>

#include <map>

namespace dailies::ui {

namespace {

constexpr int kKeyWidth = 160;
constexpr int kTagEditorWidth = 520;
constexpr int kListHeight = 280;

}  // namespace

TagEditor::TagEditor(const ChartedRuns& runs, QWidget* parent)
    : QDialog(parent),
      m_lines(makeColumn(space::k8)),
      m_key(new QLineEdit),
      m_value(new QLineEdit),
      m_add(makeButton(tr("Add"), ButtonKind::Primary)) {
    setWindowTitle(runs.size() == 1 ? tr("Tags of 1 run") : tr("Tags of %1 runs").arg(runs.size()));
    setAttribute(Qt::WA_DeleteOnClose);
    setMinimumWidth(kTagEditorWidth);
    auto* column = makeColumn(space::k16, {space::k24, space::k24, space::k24, space::k24});
    column->addWidget(makeLabel(windowTitle(), TextStyle::Title));

    RunKeys keys;
    std::map<std::string, std::map<std::string, std::size_t>> values;
    for (const auto& charted : runs) {
        keys.add(*charted.run);
        for (const auto& [key, value] : charted.run->tags) {
            ++values[key][value];
        }
    }
    const auto tags = keys.tags();
    if (tags.empty()) {
        column->addWidget(makeLabel(tr("No tags yet."), TextStyle::Body, TextTone::Muted));
    } else {
        auto* content = new QWidget;
        content->setProperty("clear", true);
        content->setLayout(m_lines);
        auto* scroll = new QScrollArea;
        scroll->setWidget(content);
        scroll->setWidgetResizable(true);
        scroll->setMaximumHeight(kListHeight);
        for (const auto& key : tags) {
            const auto& found = values[key];
            addLine(key, found.begin()->first, found.size() == 1 && found.begin()->second == runs.size());
        }
        m_lines->addStretch();
        column->addWidget(scroll);
    }
    column->addWidget(makeLine());
    auto* row = makeRow(space::k8);
    m_key->setPlaceholderText(tr("Tag"));
    m_key->setFixedWidth(kKeyWidth);
    m_key->setAccessibleName(tr("Name of the tag to add"));
    m_value->setPlaceholderText(tr("Value"));
    m_value->setAccessibleName(tr("Value of the tag to add"));
    m_add->setEnabled(false);
    row->addWidget(m_key);
    row->addWidget(m_value, 1);
    row->addWidget(m_add);
    column->addLayout(row);
    setLayout(column);
    m_add->setDefault(true);  // a dialog knows only of buttons that are in it
    m_key->setFocus();

    connect(m_key, &QLineEdit::textChanged, this,
            [this](const QString& text) { m_add->setEnabled(!text.trimmed().isEmpty()); });
    connect(m_add, &QPushButton::clicked, this, [this] {
        emit set(m_key->text().trimmed().toStdString(), m_value->text().toStdString());
        accept();
    });
}

void TagEditor::keyPressEvent(QKeyEvent* event) {
    const bool onTool = qobject_cast<QToolButton*>(focusWidget());
    if (!onTool || !pressFocusedButton(*this, *event)) QDialog::keyPressEvent(event);
}

void TagEditor::addLine(const std::string& key, const std::string& value, bool same) {
    auto* line = new QWidget;
    auto* row = makeRow(space::k8);
    auto* name = new ElidedLabel(TextStyle::Mono);
    name->setFullText(sanitized(key));
    name->setFixedWidth(kKeyWidth);
    auto* edit = new QLineEdit(same ? QString::fromStdString(value) : QString());
    edit->setPlaceholderText(same ? QString() : tr("not the same in all; type to set it"));
    edit->setAccessibleName(tr("Value of %1").arg(sanitized(key)));
    auto* remove =
        makeIconButton(QStringLiteral("trash"), tr("Remove %1 from these runs").arg(sanitized(key)));
    row->addWidget(name);
    row->addWidget(edit, 1);
    row->addWidget(remove);
    line->setLayout(row);
    m_lines->addWidget(line);
    connect(edit, &QLineEdit::editingFinished, this, [this, edit, key] {
        if (edit->isModified()) {
            edit->setModified(false);
            emit set(key, edit->text().toStdString());
        }
    });
    connect(remove, &QToolButton::clicked, this, [this, line, key] {
        emit removed(key);
        line->hide();
    });
}

}  // namespace dailies::ui
