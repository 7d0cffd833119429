#include "ui/launch/program_form.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/sweep/command.h"
#include "ui/launch/variation_editor.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/form_row.h"
#include "ui/widgets/line_list_edit.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace dailies::ui {

namespace {

using Place = sweep::Code::Place;

constexpr int kHere = 0, kThere = 1, kRepository = 2;
constexpr int kDict = 0, kDotted = 1;
constexpr int kCommandLines = 4;
constexpr const char* kTrainer = "dailies-train";

constexpr std::string_view kGit = "git+";

/// Of code in a repository: its address as it is typed beside that place,
/// ADDRESS[@REF][#subdirectory=FOLDER].
QString typedPlace(const sweep::Code& code) {
    return QString::fromStdString(code.place == Place::Git ? textOf(code).substr(kGit.size()) : code.folder);
}

int indexOf(Place place) {
    if (place == Place::Git) return kRepository;
    return place == Place::Cluster ? kThere : kHere;
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
      m_start(new QComboBox),
      m_resume(new QComboBox),
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
    column->addWidget(makeStartRow());
    column->addWidget(makeResumeRow());
    m_nested->addItem(tr("One argument for each group, a dict"));
    m_nested->addItem(tr("One argument for each, with dots: --optimizer.lr=0.1"));
    m_nestedRow =
        makeFormRow(tr("Nested"), m_nested,
                    tr("How parameters within groups reach the program; W&B passes dicts."), labelWidth);
    column->addWidget(m_nestedRow);
    setLayout(column);

    connect(m_file, &QLineEdit::textChanged, this, &ProgramForm::check);
    connect(m_command, &QPlainTextEdit::textChanged, this, &ProgramForm::check);
    connect(m_place, &QComboBox::currentIndexChanged, this, &ProgramForm::check);
    connect(m_folder, &QLineEdit::textChanged, this, &ProgramForm::check);
    for (QComboBox* box : {m_start, m_resume, m_nested})
        connect(box, &QComboBox::currentIndexChanged, this, &ProgramForm::check);
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
    m_place->addItems({tr("This computer"), tr("On the cluster"), tr("Git repository")});
    auto* fields = new QWidget;
    auto* row = makeRow(space::k8);
    row->addWidget(m_place);
    row->addWidget(m_folder, 1);
    row->addWidget(m_browse);
    fields->setLayout(row);
    auto* code = makeFormRow(tr("Code"), fields,
                             tr("The folder that a run is started in. One of this computer is uploaded "
                                "at launch, without what .gitignore names; one of the cluster is used "
                                "as it is; a repository is cloned on the cluster, at the commit, tag or "
                                "branch after the @."),
                             m_labelWidth);
    m_place->setAccessibleName(tr("Where the code is"));
    m_folder->setAccessibleName(tr("Folder of the code"));
    return code;
}

QWidget* ProgramForm::makeStartRow() {
    const std::array<std::pair<sweep::Start, QString>, 5> starts = {{
        {sweep::Start::Process, tr("One process")},
        {sweep::Start::Torchrun, tr("torchrun on each node")},
        {sweep::Start::Accelerate, tr("accelerate launch on each node")},
        {sweep::Start::Deepspeed, tr("deepspeed on each node")},
        {sweep::Start::Tasks, tr("One process for each rank, by srun")},
    }};
    for (const auto& [start, text] : starts) m_start->addItem(text, static_cast<int>(start));
    return makeFormRow(tr("Start"), m_start,
                       tr("How the ranks of a run begin on its nodes. What a launcher needs, such as the "
                          "number of processes and the port, is given to it."),
                       m_labelWidth);
}

QWidget* ProgramForm::makeResumeRow() {
    showResume({});
    return makeFormRow(tr("Resume"), m_resume,
                       tr("How a run goes on from its checkpoint after a time limit or a preemption: by the "
                          "conventions of a trainer, or as `resume` in the YAML tab says."),
                       m_labelWidth);
}

/// Its items are: from the beginning, each preset, and what the sweep file says where that is no preset.
void ProgramForm::showResume(const std::optional<sweep::Resume>& resume) {
    const QSignalBlocker quiet(m_resume);
    const auto& presets = sweep::resumePresets();
    m_resume->clear();
    m_resume->addItem(tr("Start from the beginning"));
    for (const auto& preset : presets)
        m_resume->addItem(tr("As %1 does").arg(QString::fromStdString(preset.preset)));
    const auto known = resume ? std::ranges::find(presets, *resume) : presets.end();
    m_ownResume.reset();
    if (!resume) return m_resume->setCurrentIndex(0);
    if (known != presets.end())
        return m_resume->setCurrentIndex(static_cast<int>(known - presets.begin()) + 1);
    m_ownResume = resume;
    m_resume->addItem(tr("As the sweep file says"));
    m_resume->setCurrentIndex(m_resume->count() - 1);
}

std::optional<sweep::Resume> ProgramForm::resume() const {
    const auto& presets = sweep::resumePresets();
    const auto chosen = static_cast<std::size_t>(m_resume->currentIndex());
    if (chosen == 0) return std::nullopt;
    return chosen <= presets.size() ? presets[chosen - 1] : m_ownResume;
}

sweep::Program ProgramForm::read() const {
    sweep::Program program = m_before;
    program.start = static_cast<sweep::Start>(m_start->currentData().toInt());
    program.resume = resume();
    program.code = {};
    program.file = trimmedText(m_file);
    program.command = wordsFromLines(m_command->toPlainText());
    program.dottedGroups = m_nested->currentIndex() == kDotted;
    const auto folder = trimmedText(m_folder);
    if (folder.empty()) return program;
    const int place = m_place->currentIndex();
    if (place == indexOf(m_code.place) && folder == typedPlace(m_code).toStdString())
        program.code = m_code;
    else if (place == kRepository)
        program.code = sweep::codeFromText(folder.starts_with(kGit) ? folder : std::string(kGit) + folder);
    else
        program.code = {place == kThere ? Place::Cluster : Place::Local, folder};
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
    if (program.code.place == Place::Git) {
        const auto problem = repositoryProblem(program.code);
        return problem.empty() ? QString() : tr("code: %1.").arg(QString::fromStdString(problem));
    }
    if (folder.empty() && isInstalled(program)) return {};
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
              indexOf(program.code.place), typedPlace(program.code), program.code, program.dottedGroups,
              program.start, program.resume});
}

ProgramForm::Input ProgramForm::input() const {
    return {m_before,
            m_file->text(),
            m_command->toPlainText(),
            m_place->currentIndex(),
            m_folder->text(),
            m_code,
            m_nested->currentIndex() == kDotted,
            static_cast<sweep::Start>(m_start->currentData().toInt()),
            resume()};
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
    m_code = input.code;
    m_nested->setCurrentIndex(input.dotted ? kDotted : kDict);
    m_start->setCurrentIndex(m_start->findData(static_cast<int>(input.start)));
    showResume(input.resume);
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
    static const std::array<QString, 3> kExamples = {tr("the program's folder"), tr("~/src/trainer"),
                                                     tr("https://github.com/owner/name@commit")};
    m_folder->setPlaceholderText(kExamples.at(static_cast<std::size_t>(m_place->currentIndex())));
    m_folder->setToolTip(m_folder->text());
    m_browse->setVisible(m_place->currentIndex() != kRepository);
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
