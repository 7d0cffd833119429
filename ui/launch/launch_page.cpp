#include "ui/launch/launch_page.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "remote/launch/forecast.h"
#include "remote/program/code_location.h"
#include "ui/bridge/read_store.h"
#include "ui/bridge/run_async.h"
#include "ui/cluster/profile_list.h"
#include "ui/files/file_browser.h"
#include "ui/launch/field_editor.h"
#include "ui/launch/form_panel.h"
#include "ui/launch/launch_draft.h"
#include "ui/launch/launch_preview.h"
#include "ui/launch/layout_panel.h"
#include "ui/launch/presets.h"
#include "ui/launch/script_editor.h"
#include "ui/launch/sweep_form.h"
#include "ui/launch/yaml_editor.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QBoxLayout>
#include <QButtonGroup>
#include <QComboBox>
#include <QDropEvent>
#include <QMimeData>
#include <QSplitter>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kMinPreviewWidth = 360;
constexpr std::size_t kMaxUndo = 20;

}  // namespace

LaunchPage::LaunchPage(ProfileList& profiles, ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_profiles(profiles),
      m_worker(worker),
      m_preset(new QComboBox),
      m_form(new SweepForm),
      m_panel(new FormPanel(m_form)),
      m_preview(new LaunchPreview),
      m_draft(new LaunchDraft(this)),
      m_side(new QFrame),
      m_column(makeColumn(0)),
      m_toForm(makeButton(tr("Form"), ButtonKind::Ghost)),
      m_toPreview(makeButton(tr("Preview"), ButtonKind::Ghost)),
      m_summary(makeLabel({}, TextStyle::Strong)),
      m_target(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_progress(new ElidedLabel(TextStyle::Body, TextTone::Muted)),
      m_check(makeButton(tr("Check"))),
      m_launch(makeButton(tr("Launch"), ButtonKind::Primary, QStringLiteral("launch"))),
      m_stop(makeButton(tr("Stop"))) {
    setObjectName(QStringLiteral("page"));
    setAcceptDrops(true);
    m_side->setObjectName(QStringLiteral("side"));
    auto* sideColumn = makeColumn(0);
    sideColumn->addWidget(m_preview, 1);
    m_side->setLayout(sideColumn);
    m_side->setMinimumWidth(kMinPreviewWidth);
    m_footer = makeFooter();

    auto* split = new QSplitter;
    split->setMinimumWidth(1);  // of its panes; where both find no room, `arrange` shows one
    split->addWidget(m_panel);
    split->addWidget(m_side);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({740, 356});
    split->setChildrenCollapsible(false);
    m_column->addWidget(makeHeader());
    m_column->addWidget(split, 1);
    setLayout(m_column);
    arrange();

    connect(m_form, &SweepForm::changed, this, &LaunchPage::refreshPreview);
    connect(m_form, &SweepForm::sectionsChanged, this, &LaunchPage::arrange);
    connect(m_form, &SweepForm::changed, this, [this] { m_draft->keep(m_form->sweep(), m_origin); });
    connect(m_draft, &LaunchDraft::restored, this, [this](const sweep::Sweep& sweep, const QString& origin) {
        const Draft kept{{sweep}, origin};
        if (m_chosen) {  // before it was read: it is not lost for that
            m_undo.insert(m_undo.begin(), kept);
            updateUndo();
            emit draftReplaced(m_origin, [this, kept] { replaceBy(kept); });
            return;
        }
        fill(kept);
        m_chosen = true;
        m_undo.clear();
        updateUndo();
    });
    connect(m_preview, &LaunchPreview::changed, this, &LaunchPage::refreshFooter);
    connect(&m_preview->yamlEditor(), &YamlEditor::edited, m_form, &SweepForm::editSweep);
    connect(&m_preview->yamlEditor(), &YamlEditor::problemChanged, this,
            [this] { m_panel->setYamlBroken(!m_preview->yamlEditor().problem().isEmpty()); });
    connect(m_panel, &FormPanel::yamlDiscarded, &m_preview->yamlEditor(), &YamlEditor::discard);
    connect(&m_preview->layouts(), &LayoutPanel::layoutAccepted, this, [this](const auto& settings) {
        for (const auto& [key, value] : settings) {
            if (auto* editor = m_form->editor(key)) {
                editor->setSwept(false);
                editor->setValue(value);
            }
        }
    });
    connect(&m_profiles, &ProfileList::changed, this, [this] {
        showCluster();
        refreshPreview();
    });
    connect(&m_worker, &ClusterWorker::launchChecked, this, [this](const remote::LaunchCheck& check) {
        m_check->setEnabled(true);
        m_preview->showCheck(check);
        m_toPreview->setChecked(true);
    });
    connect(&m_worker, &ClusterWorker::stateChanged, this, [this] {
        readPastRuns();
        showCluster();
        refreshPreview();
        refreshFooter();
    });
    connect(&m_worker, &ClusterWorker::progress, this, [this](const QString& line) {
        if (m_worker.busy()) m_progress->setFullText(line);
    });
    connect(&m_worker, &ClusterWorker::launchStopped, this, &LaunchPage::refreshFooter);
    connect(&m_worker, &ClusterWorker::launched, this, &LaunchPage::refreshFooter);
    connect(&m_worker, &ClusterWorker::launchFailed, this, &LaunchPage::refreshFooter);

    for (const char* key : {"data.folder", "data.poses", "data.shards"})
        if (auto* editor = m_form->editor(key)) {
            editor->setBrowsable(tr("Browse the cluster or upload data"));
            connect(editor, &FieldEditor::browseRequested, this, [this, editor] { browse(*editor); });
        }

    connect(&m_form->program(), &ProgramForm::clusterBrowseRequested, this, &LaunchPage::browseCode);

    addKeys();
    showCluster();
    if (m_preset->count() > 0) {
        const int usual = m_preset->findText(QStringLiteral("shapes-lr"));
        choosePreset(m_preset->itemText(std::max(0, usual)));
        m_chosen = false;
        m_undo.clear();
        updateUndo();
    } else {
        refreshPreview();
    }
    refreshFooter();
}

void LaunchPage::addKeys() {
    const auto key = [this](const QKeySequence& keys, auto call) {
        auto* action = new QAction(this);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WindowShortcut);  // wherever in the window the focus is
        connect(action, &QAction::triggered, this, call);
        addAction(action);
        return action;
    };
    key(QKeySequence(Qt::CTRL | Qt::Key_Return), [this] { m_launch->click(); });
    key(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return), [this] { m_check->click(); });
    key(QKeySequence::Find, [this] {
        m_toForm->setChecked(true);
        m_panel->focusSearch();
    });
    // A field that is typed in has an undo of its own, and takes the key.
    m_undoAction = key(QKeySequence::Undo, [this] { undoStartFrom(); });
    m_undoAction->setText(tr("Undo Start from"));
    m_redoAction = key(QKeySequence::Redo, [this] { redoStartFrom(); });
    m_redoAction->setText(tr("Redo Start from"));
    updateUndo();
}

void LaunchPage::arrange() {
    const bool both = width() > m_panel->minimumSizeHint().width() + kMinPreviewWidth;
    m_toForm->setVisible(!both);
    m_toPreview->setVisible(!both);
    m_panel->setVisible(both || m_toForm->isChecked());
    m_side->setVisible(both || m_toPreview->isChecked());
    m_summary->setVisible(!both && m_toForm->isChecked());
    m_headerFit->fit();
    if (auto* home = both ? m_side->layout() : m_column; home->indexOf(m_footer) < 0) {
        home->addWidget(m_footer);
    }
}

void LaunchPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

QWidget* LaunchPage::makeHeader() {
    auto* bar = makePageBar();
    auto* row = makeRow(space::k8, {space::k16, 0, space::k16, 0});
    auto* title = makeLabel(tr("Launch"), TextStyle::Display);
    title->setContentsMargins(0, 0, space::k16, 0);
    row->addWidget(title);
    auto* label = makeLabel(tr("Start from"), TextStyle::Body, TextTone::Muted);
    label->setBuddy(m_preset);
    row->addWidget(label);
    m_preset->setAccessibleName(tr("Preset to start from"));
    m_preset->setMinimumWidth(200);
    // a run may have a long name
    m_preset->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    for (const auto& preset : presets()) {
        m_preset->addItem(preset.title);
    }
    m_preset->insertSeparator(m_preset->count());
    m_preset->addItem(ownProgramStart().title);
    m_preset->setPlaceholderText(tr("a preset"));
    row->addWidget(m_preset);
    row->addStretch();
    auto* shown = new QButtonGroup(this);
    for (auto* button : {m_toForm, m_toPreview}) {
        button->setCheckable(true);
        button->setChecked(button == m_toForm);
        shown->addButton(button);
        row->addWidget(button);
        connect(button, &QPushButton::toggled, this, &LaunchPage::arrange);
    }
    auto* open = makeButton(tr("Open…"), ButtonKind::Ghost, QStringLiteral("folder"));
    open->setToolTip(tr("Read a sweep file (YAML)"));
    auto* save = makeButton(tr("Save…"), ButtonKind::Ghost, QStringLiteral("save"));
    save->setToolTip(tr("Write this sweep as YAML, for the command line or a colleague"));
    row->addWidget(open);
    row->addWidget(save);
    bar->setLayout(row);
    m_headerFit = new FitToWidth(*bar);
    m_headerFit->iconsOnly({save, open});
    m_headerFit->narrow(*m_preset, 120);
    m_headerFit->hide(*label);
    m_headerFit->hide(*title);
    connect(m_preset, &QComboBox::activated, this, [this] { choosePreset(m_preset->currentText()); });
    connect(open, &QPushButton::clicked, this, &LaunchPage::chooseFile);
    connect(save, &QPushButton::clicked, this, &LaunchPage::saveFile);
    return bar;
}

QWidget* LaunchPage::makeFooter() {
    auto* footer = new QWidget;
    auto* column = makeColumn(0);
    column->addWidget(makeLine());
    auto* row = makeRow(space::k8, {space::k16, space::k12, space::k16, space::k12});
    auto* words = makeColumn(0);
    words->addWidget(m_summary);
    words->addWidget(m_target);
    words->addWidget(m_progress);
    m_progress->hide();
    row->addLayout(words, 1);
    row->addWidget(m_stop);
    row->addWidget(m_check);
    row->addWidget(m_launch);
    m_check->setToolTip(
        tr("Check limits, memory, storage, and start time on the cluster without submitting "
           "(Ctrl+Shift+Enter)"));
    connect(m_check, &QPushButton::clicked, this, &LaunchPage::check);
    column->addLayout(row);
    footer->setLayout(column);
    connect(m_launch, &QPushButton::clicked, this, &LaunchPage::launch);
    connect(m_stop, &QPushButton::clicked, &m_worker, &ClusterWorker::stopWork);
    return footer;
}

void LaunchPage::browse(FieldEditor& editor) {
    if (!m_worker.info()) {
        emit connectRequested();
        return;
    }
    const auto now = editor.value();
    const bool shards = editor.field().key == "data.shards";
    auto* browser =
        new FileBrowser(m_worker, shards ? FileBrowser::Wanted::FolderOrShard : FileBrowser::Wanted::Folder,
                        now && now->is_string() && !shards ? now->get<std::string>() : std::string(), this);
    connect(browser, &FileBrowser::chosen, &editor, [this, &editor, shards](const QString& path) {
        editor.setText(path);
        // data that was looked for is meant to be used
        if (auto* source = m_form->editor("data.source")) source->setValue(shards ? "webdataset" : "folder");
    });
    browser->open();
}

void LaunchPage::browseCode(const QString& folder) {
    if (!m_worker.info()) {
        emit connectRequested();
        return;
    }
    auto* browser = new FileBrowser(m_worker, FileBrowser::Wanted::Folder, folder.toStdString(), this);
    connect(browser, &FileBrowser::chosen, &m_form->program(), &ProgramForm::setFolder);
    browser->open();
}

bool LaunchPage::isSettled() const {
    return !m_opening && m_profiles.loaded() && !m_draft->reading() && m_preview->isSettled();
}

void LaunchPage::choosePreset(const QString& title) {
    auto all = presets();
    all.push_back(ownProgramStart());
    for (const auto& preset : all) {
        if (preset.title == title) {
            startFrom(preset.sweep, title);
        }
    }
}

void LaunchPage::startFrom(const sweep::Sweep& sweep, const QString& origin) {
    const Draft before = draft();
    const bool touched = isTouched();
    replaceBy({{sweep}, origin});
    m_chosen = true;
    m_untouched = draft();
    if (touched) emit draftReplaced(origin, [this, before] { replaceBy(before); });
}

void LaunchPage::trainOn(const std::string& folder) {
    auto sweep = m_form->input().sweep;
    if (sweep.program) sweep = presets().front().sweep;
    std::erase_if(sweep.parameters, [](const sweep::Parameter& parameter) {
        return parameter.key == "data.source" || parameter.key == "data.folder" ||
               parameter.key == "data.shards";
    });
    auto& data = sweep.config["data"];
    data["source"] = "folder";
    data["folder"] = folder;
    data.erase("shards");
    startFrom(sweep, tr("clips of %1").arg(sanitized(folder)));
    showKey("data.folder");
}

LaunchPage::Draft LaunchPage::draft() const {
    return {m_form->input(), m_origin, m_preview->yaml(), m_preview->edit()};
}

bool LaunchPage::isTouched() const {
    if (!m_untouched) return m_chosen;
    return m_preview->edit() || m_form->input() != m_untouched->form ||
           m_preview->yaml() != m_untouched->yaml;
}

void LaunchPage::fill(const Draft& draft) {
    m_preview->scriptEditor().reset();  // what was changed for another sweep
    m_preview->yamlEditor().discard();
    m_origin = draft.origin;
    m_form->setInput(draft.form);
    if (!draft.yaml.isEmpty()) m_preview->yamlEditor().restore(draft.yaml);
    if (draft.script) m_preview->scriptEditor().restore(*draft.script);
    m_preset->setPlaceholderText(m_origin.isEmpty() ? tr("a preset") : m_origin);
    m_preset->setToolTip(m_origin);
    m_preset->setCurrentIndex(m_preset->findText(m_origin));
    m_untouched.reset();
}

void LaunchPage::replaceBy(const Draft& other) {
    if (m_undo.size() == kMaxUndo) m_undo.erase(m_undo.begin());
    m_undo.push_back(draft());
    m_redo.clear();
    fill(other);
    updateUndo();
}

void LaunchPage::undoStartFrom() {
    if (m_undo.empty()) return;
    m_redo.push_back(draft());
    fill(m_undo.back());
    m_undo.pop_back();
    updateUndo();
}

void LaunchPage::redoStartFrom() {
    if (m_redo.empty()) return;
    m_undo.push_back(draft());
    fill(m_redo.back());
    m_redo.pop_back();
    updateUndo();
}

void LaunchPage::updateUndo() {
    setAvailable(*m_undoAction, m_undo.empty() ? tr("Nothing was started from since") : QString());
    setAvailable(*m_redoAction, m_redo.empty() ? tr("Nothing was undone") : QString());
}

void LaunchPage::setDraftFile(const std::filesystem::path& file) {
    m_draft->setFile(file);
}

void LaunchPage::showKey(const std::string& key) {
    m_toForm->setChecked(true);
    if (m_form->hasOwnProgram()) return;  // it has no such key
    if (auto* editor = m_form->editor(key)) m_panel->showRow(*editor);
}

remote::ClusterProfile LaunchPage::targetProfile() const {
    if (const auto& info = m_worker.info()) {
        return info->profile;
    }
    if (auto known = m_profiles.find(m_worker.clusterName())) {
        return *known;
    }
    if (!m_profiles.all().empty()) {
        return m_profiles.all().front();
    }
    remote::ClusterProfile none;
    none.workspace = "~/dailies";
    return none;
}

void LaunchPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    readPastRuns();
}

void LaunchPage::readPastRuns() {
    using Past = std::shared_ptr<const remote::PastRuns>;
    m_reading.cancel();
    m_reading = readStore(
        this, m_worker.storeFile(),
        [cluster = targetProfile().name](const tracking::Store& store, std::stop_token) -> Past {
            return std::make_shared<remote::PastRuns>(store, cluster);
        },
        [this](const Past& past) {
            if (past) {
                m_preview->setPastRuns(past);
            }
        },
        [this](const Error& error) { emit failed(error); });
}

void LaunchPage::refreshPreview() {
    const auto profile = targetProfile();
    const auto& info = m_worker.info();
    m_preview->display(m_form->sweep(), profile, info ? info->workspace : profile.workspace,
                       info ? std::optional(info->facts) : std::nullopt, m_form->problems());
}

void LaunchPage::refreshFooter() {
    const bool connected = m_worker.info().has_value();
    const bool busy = m_worker.busy();
    m_target->setText(connected ? tr("to %1").arg(QString::fromStdString(m_worker.clusterName()))
                                : tr("Connect to a cluster to launch."));
    m_target->setVisible(!busy);
    m_summary->setText(m_preview->summaryText());
    m_progress->setVisible(busy);
    m_stop->setVisible(busy);
    m_launch->setVisible(!busy);
    m_check->setVisible(connected && !busy);
    m_check->setEnabled(m_preview->valid());
    const int runs = m_preview->runCount();
    m_launch->setText(!connected  ? tr("Connect…")
                      : runs == 1 ? tr("Launch 1 run")
                      : runs > 1  ? tr("Launch %1 runs").arg(runs)
                                  : tr("Launch"));
    m_launch->setEnabled(!connected || m_preview->valid());
    m_launch->setToolTip(m_preview->edit() ? tr("Submit the sweep with your edited script (Ctrl+Enter)")
                                           : tr("Submit the sweep (Ctrl+Enter)"));
}

void LaunchPage::showCluster() {
    const auto& info = m_worker.info();
    m_form->setCluster(targetProfile(), info ? std::optional(info->facts) : std::nullopt);
}

remote::LaunchRequest LaunchPage::request() const {
    return {m_form->sweep(), m_preview->skipsRepeats(), m_preview->edit(), m_form->thenSample()};
}

void LaunchPage::check() {
    if (m_worker.info() && m_preview->valid()) {
        m_check->setEnabled(false);
        m_preview->beginCheck();
        m_worker.checkLaunch(request());
    }
}

void LaunchPage::launch() {
    if (!m_worker.info()) {
        emit connectRequested();
        return;
    }
    if (!m_form->problems().isEmpty()) {
        m_form->focusFirstProblem();
        return;
    }
    m_progress->setFullText(tr("Preparing…"));
    m_worker.launch(request());
    refreshFooter();
}

void LaunchPage::chooseFile() {
    ui::chooseFile(*this, tr("Open a sweep"), tr("Sweep files (*.yaml *.yml)"),
                   [this](const QString& name) { open(name.toStdString()); });
}

void LaunchPage::open(const std::filesystem::path& file) {
    struct Read {
        sweep::Sweep sweep;
        std::vector<std::string> notices;
    };
    m_opening = true;
    runAsync(
        this,
        [file](std::stop_token) {
            Read read;
            read.sweep = sweep::parseSweep(readFile(file), file.filename().string(), &read.notices);
            try {
                const auto folder = std::filesystem::absolute(file).parent_path();
                remote::locateProgram(read.sweep, {}, folder, read.notices);
            } catch (const InputError& error) {  // another folder can be chosen in the form
                read.notices.push_back(error.full());
            }
            return read;
        },
        [this, title = sanitized(file.filename().string())](const Read& read) {
            m_opening = false;
            startFrom(read.sweep, title);
            if (!read.notices.empty()) emit notificationPosted(sanitized(join(read.notices, "\n")));
        },
        [this](const Error& error) {
            m_opening = false;
            emit failed(error);
        });
}

void LaunchPage::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (urls.size() != 1 || !urls.front().isLocalFile()) return;
    const QString name = urls.front().toLocalFile();
    if (name.endsWith(QLatin1String(".yaml")) || name.endsWith(QLatin1String(".yml")))
        event->acceptProposedAction();
}

void LaunchPage::dropEvent(QDropEvent* event) {
    open(event->mimeData()->urls().front().toLocalFile().toStdString());
}

void LaunchPage::saveFile() {
    const auto chosen = [this](const QString& name) {
        runAsync(
            this,
            [file = std::filesystem::path(name.toStdString()), sweep = m_form->sweep()](std::stop_token) {
                writeFileAtomically(file, sweep::toYaml(sweep));
            },
            [this, name] { emit saved(name); }, [this](const Error& error) { emit failed(error); });
    };
    chooseNewFile(*this, tr("Save the sweep"), tr("Sweep files (*.yaml)"), chosen,
                  QString::fromStdString(m_form->sweep().name), QStringLiteral("yaml"));
}

}  // namespace dailies::ui
