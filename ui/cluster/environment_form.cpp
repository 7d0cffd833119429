#include "ui/cluster/environment_form.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/nccl.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kVariablesHeight = 56;

QString fromView(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<int>(text.size()));
}

QString joined(const std::vector<std::string>& list) {
    return QString::fromStdString(join(list, ", "));
}

Json listOf(const QLineEdit* edit) {
    Json list = Json::array();
    for (const auto& item : split(edit->text().toStdString(), ',')) {
        if (!trim(item).empty()) {
            list.push_back(std::string(trim(item)));
        }
    }
    return list;
}

}  // namespace

EnvironmentForm::EnvironmentForm(int labelWidth, const QString& absent, QWidget* parent)
    : QWidget(parent), m_labelWidth(labelWidth), m_runtime(new QComboBox), m_fabric(new QComboBox) {
    setLayout(makeColumn(space::k8));
    m_modules = addLine(tr("Modules"), tr("cuda/12.4, gcc/12"),
                        tr("Loaded in this order, as by module load; separated by commas."));
    m_venv = addLine(tr("Python venv"), absent, tr("Folder of a Python environment to activate."));
    m_conda = addLine(tr("Conda"), absent, tr("Name or folder of a conda environment to activate."));
    m_image = addLine(tr("Container"), absent,
                      tr("Image that the trainer is built and run in: a file on the cluster, or a reference "
                         "as the runtime takes it."));
    for (const auto& runtime : sweep::containerRuntimes()) {
        m_runtime->addItem(QString::fromStdString(runtime));
    }
    m_runtime->setAccessibleName(tr("Container runtime"));
    m_runtime->setToolTip(tr("What runs the container. Pyxis is a plugin of Slurm."));
    m_image->parentWidget()->layout()->addWidget(m_runtime);
    m_mounts = addLine(tr("Mounts"), tr("/data, /scratch:/scratch:ro"),
                       tr("Folders to mount besides the workspace, comma-separated."));
    m_mountsRow = m_mounts->parentWidget();
    m_fabric->addItem(absent, QString());
    for (const auto& fabric : sweep::fabrics()) {
        m_fabric->addItem(fromView(fabric.title), fromView(fabric.name));
        m_fabric->setItemData(m_fabric->count() - 1, fromView(fabric.about), Qt::ToolTipRole);
    }
    add(tr("Fabric"), m_fabric, tr("Network between nodes. Configures NCCL for it."));
    const auto addCaption = [this](TextTone tone) {
        auto* label = makeLabel({}, TextStyle::Caption, tone);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setContentsMargins(m_labelWidth + space::k8, 0, 0, 0);
        layout()->addWidget(label);
        return label;
    };
    m_fabricWhy = addCaption(TextTone::Muted);
    m_variables = new QPlainTextEdit;
    m_variables->setPlaceholderText(QStringLiteral("NCCL_DEBUG=INFO"));
    m_variables->setFont(Theme::font(TextStyle::Mono));
    m_variables->setFixedHeight(kVariablesHeight);
    m_variables->setTabChangesFocus(true);
    add(tr("Variables"), m_variables, tr("NAME=VALUE, one a line, over those of the fabric."));
    m_warnings = addCaption(TextTone::Warning);
    const auto tell = [this] {
        updateVisibleRows();
        emit changed();
    };
    connect(m_image, &QLineEdit::textChanged, this, tell);
    connect(m_runtime, &QComboBox::currentIndexChanged, this, tell);
    connect(m_fabric, &QComboBox::currentIndexChanged, this, tell);
    connect(m_variables, &QPlainTextEdit::textChanged, this, tell);
    for (auto* edit : {m_modules, m_venv, m_conda, m_mounts}) {
        connect(edit, &QLineEdit::textChanged, this, &EnvironmentForm::changed);
    }
    updateVisibleRows();
}

void EnvironmentForm::add(const QString& label, QWidget* field, const QString& help) {
    layout()->addWidget(makeFormRow(label, field, help, m_labelWidth));
}

QLineEdit* EnvironmentForm::addLine(const QString& label, const QString& hint, const QString& help) {
    auto* edit = new QLineEdit;
    edit->setPlaceholderText(hint);
    add(label, edit, help);
    return edit;
}

void EnvironmentForm::updateVisibleRows() {
    const bool contained = !m_image->text().trimmed().isEmpty();
    m_runtime->setVisible(contained);
    m_mountsRow->setVisible(contained);
    QStringList why;
    if (const auto* fabric = sweep::findFabric(m_fabric->currentData().toString().toStdString())) {
        why << fromView(fabric->about);
        for (const auto& variable : fabric->variables) {
            why << fromView(variable.name) + QLatin1Char('=') + fromView(variable.value) +
                       QStringLiteral(" — ") + fromView(variable.why);
        }
    }
    m_fabricWhy->setText(why.join(QLatin1Char('\n')));
    m_fabricWhy->setVisible(!why.isEmpty());
    QStringList warnings;
    for (const auto& warning : sweep::ncclVariableWarnings({}, environment().variables)) {
        warnings << QString::fromStdString(warning);
    }
    m_warnings->setText(warnings.join(QLatin1Char('\n')));
    m_warnings->setVisible(!warnings.isEmpty());
}

sweep::Environment EnvironmentForm::read() const {
    Json words = {{"modules", listOf(m_modules)},
                  {"venv", trimmedText(m_venv)},
                  {"conda", trimmedText(m_conda)},
                  {"fabric", m_fabric->currentData().toString().toStdString()},
                  {"variables", Json::object()}};
    if (!trimmedText(m_image).empty()) {
        words["container"] = {{"image", trimmedText(m_image)}, {"mounts", listOf(m_mounts)}};
        if (m_runtime->currentIndex() > 0) {
            words["container"]["runtime"] = m_runtime->currentText().toStdString();
        }
    }
    for (const auto& line : split(m_variables->toPlainText().toStdString(), '\n')) {
        const std::string pair(trim(line));
        if (pair.empty()) {
            continue;
        }
        const auto equals = pair.find('=');
        if (equals == std::string::npos) {
            throw InputError("variables: found " + sanitizedText(pair) + ", expected NAME=VALUE.");
        }
        words["variables"][pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return sweep::environmentFromJson(words);
}

sweep::Environment EnvironmentForm::environment() const {
    try {
        return read();
    } catch (const InputError&) {
        return {};
    }
}

QString EnvironmentForm::problem() const {
    try {
        read();
    } catch (const InputError& error) {
        return QString::fromStdString("environment." + error.full());
    }
    return {};
}

void EnvironmentForm::setEnvironment(const sweep::Environment& environment) {
    {
        const QSignalBlocker quiet(this);
        m_modules->setText(joined(environment.modules));
        m_venv->setText(QString::fromStdString(environment.venv));
        m_conda->setText(QString::fromStdString(environment.conda));
        m_image->setText(QString::fromStdString(environment.container.image));
        m_runtime->setCurrentIndex(
            std::max(0, m_runtime->findText(QString::fromStdString(environment.container.runtime))));
        m_mounts->setText(joined(environment.container.mounts));
        m_fabric->setCurrentIndex(
            std::max(0, m_fabric->findData(QString::fromStdString(environment.fabric))));
        QStringList pairs;
        for (const auto& [name, value] : environment.variables) {
            pairs << QString::fromStdString(name + "=" + value);
        }
        m_variables->setPlainText(pairs.join(QLatin1Char('\n')));
        updateVisibleRows();
    }
    emit changed();
}

}  // namespace dailies::ui
