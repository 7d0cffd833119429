#include "ui/launch/program_form.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/sweep/command.h"
#include "ui/launch/variation_editor.h"
#include "ui/widgets/choose_folder.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/line_list_edit.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QToolButton>

#include <filesystem>
#include <utility>

namespace dailies::ui {

namespace {

using Place = sweep::Code::Place;

constexpr int kHere = 0, kThere = 1;
constexpr int kDict = 0, kDotted = 1;
constexpr int kCommandLines = 4;
constexpr const char* kTrainer = "dailies-train";

std::string textOf(const QLineEdit* edit) {
    return edit->text().trimmed().toStdString();
}

}  // namespace

QString wordLines(const std::vector<std::string>& words) {
    QStringList lines;
    for (const auto& word : words) {
        const bool plain = !word.empty() && word.front() != '"' && trim(word) == word &&
                           word.find_first_of("\r\n") == std::string::npos;
        lines << QString::fromStdString(
            plain ? word : Json(word).dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    return lines.join(QLatin1Char('\n'));
}

std::vector<std::string> wordsFromLines(const QString& lines) {
    std::vector<std::string> words;
    for (const QString& line : lines.split(QLatin1Char('\n'))) {
        const std::string word = line.trimmed().toStdString();
        if (word.empty()) continue;
        const Json quoted = word.front() == '"' ? Json::parse(word, nullptr, false) : Json();
        words.push_back(quoted.is_string() ? quoted.get<std::string>() : word);
    }
    return words;
}

ProgramForm::ProgramForm(int labelWidth, QWidget* parent)
    : QWidget(parent),
      m_labelWidth(labelWidth),
      m_file(new QLineEdit),
      m_command(new LineListEdit(kCommandLines)),
      m_place(new QComboBox),
      m_folder(new QLineEdit),
      m_browse(makeIconButton(QStringLiteral("folder"), tr("Choose the folder"))),
      m_nested(new QComboBox) {
    auto* column = makeColumn(space::k8);
    m_file->setPlaceholderText(QStringLiteral("train.py"));
    column->addWidget(makeFormRow(tr("Program"), m_file,
                                  tr("What ${program} stands for: a path below the folder of its code."),
                                  labelWidth));
    m_fileNote = addNote(column);
    m_command->setPlaceholderText(wordLines(sweep::defaultCommand()));
    auto* command = makeFormRow(
        tr("Command"), m_command,
        tr("The words that a run is started with, one a line. ${args} stands for the parameters as "
           "--name=value; ${args_no_hyphens}, ${args_no_boolean_flags}, ${args_json}, ${args_json_file} and "
           "${envvar:NAME} are known, too. No shell reads them."),
        labelWidth);
    if (auto* label = command->findChild<QLabel*>()) {  // beside the first of its lines
        label->setFixedHeight(kControlHeight);
        command->layout()->setAlignment(label, Qt::AlignTop);
    }
    column->addWidget(command);
    m_commandNote = addNote(column);
    column->addWidget(makeCodeRow());
    m_codeNote = addNote(column);
    m_nested->addItem(tr("One argument for each group, a dict"));
    m_nested->addItem(tr("One argument for each, with dots: --optimizer.lr=0.1"));
    m_nestedRow =
        makeFormRow(tr("Nested"), m_nested,
                    tr("How parameters within groups reach the program; W&B passes dicts."), labelWidth);
    column->addWidget(m_nestedRow);
    setLayout(column);

    connect(m_file, &QLineEdit::textChanged, this, &ProgramForm::check);
    connect(m_command, &QPlainTextEdit::textChanged, this, &ProgramForm::check);
    connect(m_place, &QComboBox::currentIndexChanged, this, [this] {
        m_commit.clear();
        check();
    });
    connect(m_folder, &QLineEdit::textChanged, this, [this] {
        m_commit.clear();
        check();
    });
    connect(m_nested, &QComboBox::currentIndexChanged, this, &ProgramForm::check);
    connect(m_browse, &QToolButton::clicked, this, &ProgramForm::browse);
    setHasGroups(false);
    check();
}

QLabel* ProgramForm::addNote(QBoxLayout* column) {
    auto* note = makeLabel({}, TextStyle::Caption, TextTone::Danger);
    note->setWordWrap(true);
    note->setContentsMargins(m_labelWidth + space::k8, 0, 0, 0);
    column->addWidget(note);
    return note;
}

QWidget* ProgramForm::makeCodeRow() {
    m_place->addItems({tr("This computer"), tr("On the cluster")});
    auto* fields = new QWidget;
    auto* row = makeRow(space::k8);
    row->addWidget(m_place);
    row->addWidget(m_folder, 1);
    row->addWidget(m_browse);
    fields->setLayout(row);
    auto* code = makeFormRow(tr("Code"), fields,
                             tr("The folder that a run is started in. One of this computer is uploaded "
                                "at launch, without what .gitignore names; one of the cluster is used "
                                "as it is."),
                             m_labelWidth);
    m_place->setAccessibleName(tr("Where the code is"));
    m_folder->setAccessibleName(tr("Folder of the code"));
    return code;
}

sweep::Program ProgramForm::read() const {
    sweep::Program program = m_before;  // start and resume have no rows, and stay as they were read
    program.code = {};
    program.file = textOf(m_file);
    program.command = wordsFromLines(m_command->toPlainText());
    program.dottedGroups = m_nested->currentIndex() == kDotted;
    if (const auto folder = textOf(m_folder); !folder.empty())
        program.code = {m_place->currentIndex() == kThere ? Place::Cluster : Place::Local, folder, m_commit};
    return program;
}

QString ProgramForm::commandProblem() const {
    const auto program = read();
    if (std::filesystem::path(nameOf(program)).filename() == kTrainer)
        return tr("program: found %1, expected a program of your own; the presets start %1.")
            .arg(QLatin1String(kTrainer));
    return QString::fromStdString(sweep::commandProblem(program));
}

QString ProgramForm::codeProblem() const {
    const auto program = read();
    const auto& folder = program.code.folder;
    if (folder.empty())
        return tr("code: found nothing, expected the folder in which %1 is started.")
            .arg(nameOf(program).empty() ? tr("the program") : sanitized(nameOf(program)));
    const bool there = program.code.place == Place::Cluster;
    if (folder.front() == '/' || (there && (folder == "~" || folder.starts_with("~/")))) return {};
    return (there ? tr("code: found %1, expected a folder of the cluster that begins with / or ~.")
                  : tr("code: found %1, expected a folder of this computer that begins with /."))
        .arg(sanitized(folder));
}

sweep::Program ProgramForm::program() const {
    return commandProblem().isEmpty() ? read() : m_before;
}

void ProgramForm::setProgram(const sweep::Program& program) {
    setInput({program, QString::fromStdString(program.file), wordLines(program.command),
              program.code.place == Place::Cluster ? kThere : kHere,
              QString::fromStdString(program.code.folder), program.code.commit, program.dottedGroups});
}

ProgramForm::Input ProgramForm::input() const {
    return {m_before,         m_file->text(), m_command->toPlainText(),           m_place->currentIndex(),
            m_folder->text(), m_commit,       m_nested->currentIndex() == kDotted};
}

void ProgramForm::setInput(const Input& input) {
    m_filling = true;
    m_before = input.before;
    m_file->setText(input.file);
    // what means the same keeps the way in which somebody writes it
    if (wordsFromLines(m_command->toPlainText()) != wordsFromLines(input.command))
        m_command->setPlainText(input.command);
    m_place->setCurrentIndex(input.place);
    m_folder->setText(input.folder);
    m_folder->setCursorPosition(0);  // of a long path the beginning is shown
    m_commit = input.commit;
    m_nested->setCurrentIndex(input.dotted ? kDotted : kDict);
    m_filling = false;
    check();
}

QStringList ProgramForm::problems() const {
    QStringList problems;
    for (const QString& problem : {commandProblem(), codeProblem()})
        if (!problem.isEmpty()) problems << problem;
    return problems;
}

void ProgramForm::focusFirstProblem() {
    const QString problem = commandProblem();
    QWidget* field = problem.startsWith(QLatin1String("program")) ? static_cast<QWidget*>(m_file)
                     : !problem.isEmpty()                         ? static_cast<QWidget*>(m_command)
                                                                  : m_folder;
    field->setFocus(Qt::TabFocusReason);
}

void ProgramForm::setNotices(const QStringList& notices) {
    if (notices == m_notices) return;
    m_notices = notices;
    const bool before = std::exchange(m_filling, true);
    check();
    m_filling = before;
}

void ProgramForm::setHasGroups(bool hasGroups) {
    m_nestedRow->setVisible(hasGroups);
}

void ProgramForm::setFolder(const QString& folder) {
    m_folder->setText(folder);
}

void ProgramForm::check() {
    if (commandProblem().isEmpty()) m_before = read();
    const auto say = [](QLabel* note, const QString& text, TextTone tone) {
        setTone(note, tone);
        note->setText(text);
        note->setVisible(!text.isEmpty());
    };
    const QString problem = commandProblem();
    const bool ofFile = problem.startsWith(QLatin1String("program"));
    say(m_fileNote, ofFile ? problem : QString(), TextTone::Danger);
    if (!problem.isEmpty() && !ofFile)
        say(m_commandNote, problem, TextTone::Danger);
    else
        say(m_commandNote, m_notices.join(QLatin1Char('\n')), TextTone::Warning);
    say(m_codeNote, codeProblem(), TextTone::Danger);
    markProblem(m_file, ofFile);
    markProblem(m_command, !problem.isEmpty() && !ofFile);
    markProblem(m_folder, !codeProblem().isEmpty());
    m_folder->setPlaceholderText(m_place->currentIndex() == kThere ? tr("~/src/trainer")
                                                                   : tr("the program's folder"));
    m_folder->setToolTip(m_folder->text());
    m_browse->setToolTip(m_place->currentIndex() == kThere ? tr("Look on the cluster")
                                                           : tr("Choose a folder of this computer"));
    if (!m_filling) emit changed();
}

void ProgramForm::browse() {
    if (m_place->currentIndex() == kThere) {
        emit clusterBrowseRequested(m_folder->text().trimmed());
        return;
    }
    chooseFolder(
        *this, tr("Folder of the code"), [this](const QString& folder) { setFolder(folder); },
        m_folder->text().trimmed());
}

}  // namespace dailies::ui
