#include "ui/sampling/sample_dialog.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/config/family_traits.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/sampled_run.h"
#include "remote/launch/source_runs.h"
#include "ui/bridge/read_store.h"
#include "ui/theme/icons.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QSpinBox>

#include <algorithm>
#include <cmath>
#include <set>

namespace dailies::ui {

namespace {

namespace tag = tracking::tag;

constexpr int kRunsHeight = 96, kLeastPromptsHeight = 56;  // a screen of 720 pixels holds the form
constexpr int kMaxFrames = 100'000;
constexpr QLatin1Char kBetweenFiles(';');

/// Those that the runs were sampled with, in the order of their clips.
std::vector<std::string> promptsOf(const tracking::Store& store, const std::vector<std::string>& runIds) {
    std::vector<std::string> prompts;
    for (const auto& clip : store.clips(runIds))
        if (std::ranges::find(prompts, clip.prompt) == prompts.end()) prompts.push_back(clip.prompt);
    return prompts;
}

/// The runs whose checkpoints are meant: where a run samples another one, that.
std::vector<std::string> sourcesOf(const tracking::Store& store, const std::vector<std::string>& runIds) {
    std::vector<std::string> sources;
    for (const auto& id : runIds) {
        const auto run = store.run(id);
        if (!run) continue;
        const auto sampled = tagOf(*run, tag::kSampledRun);
        const auto& source = sampled.empty() ? id : sampled;
        if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
    }
    return sources;
}

}  // namespace

SampleDialog::SampleDialog(ClusterWorker& worker, std::vector<std::string> runIds, std::optional<Clip> clip,
                           QWidget* parent)
    : JobDialog(worker, tr("Sample"), tr("The checkpoints are on %1; connect to it to sample them."), parent),
      m_title(makeLabel({}, TextStyle::Title)),
      m_runs(new QListWidget),
      m_checkpoint(new QComboBox),
      m_prompts(new QPlainTextEdit),
      m_promptCount(makeLabel({}, TextStyle::Caption, TextTone::Muted)),
      m_negativePrompt(new QLineEdit),
      m_conditioningFrames(new QLineEdit),
      m_lastFrames(new QLineEdit),
      m_references(new QLineEdit),
      m_poses(new QLineEdit),
      m_referencePoses(new QLineEdit),
      m_alignPoses(new QCheckBox(tr("to the reference's build and place"))),
      m_seeds(new QLineEdit),
      m_guidance(new QLineEdit),
      m_steps(new QLineEdit),
      m_strength(new QLineEdit),
      m_frames(new QSpinBox),
      m_overlap(new QSpinBox),
      m_blend(new QComboBox),
      m_parallel(new QSpinBox),
      m_timeLimit(new QLineEdit),
      m_summary(makeLabel({}, TextStyle::Title)),
      m_cost(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_problem(makeLabel({}, TextStyle::Body, TextTone::Danger)),
      m_script(new QPlainTextEdit) {
    setWindowTitle(tr("Sample clips"));
    resize(1000, 680);
    auto* sides = makeRow(0);
    sides->addWidget(makeForm());
    sides->addWidget(makeLine(Qt::Vertical));
    sides->addWidget(makePreview(), 1);
    auto* column = makeColumn(0);
    column->addLayout(sides, 1);
    column->addWidget(makeLine());
    column->addWidget(makeFooter());
    setLayout(column);

    load(std::move(runIds), clip);
}

QWidget* SampleDialog::makeForm() {
    auto* form = new QWidget;
    form->setFixedWidth(440);
    auto* column = makeColumn(space::k8, {space::k24, space::k24, space::k24, space::k16});
    m_title->setText(windowTitle());
    column->addWidget(m_title);

    m_runs->setAccessibleName(tr("Runs whose checkpoints are sampled"));
    m_runs->setMaximumHeight(kRunsHeight);
    column->addWidget(m_runs);

    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k4);
    const auto add = [&](const QString& name, QWidget* field, const QString& tip) {
        return grid->itemAtPosition(addField(*grid, name, field, tip), 0)->widget();
    };
    m_checkpoint->setEditable(true);
    m_checkpoint->addItems({QStringLiteral("last"), QStringLiteral("best"), QStringLiteral("all")});
    add(tr("Checkpoints"), m_checkpoint, tr("last, best, all, or steps such as 1000,2000"));
    m_negativePrompt->setPlaceholderText(tr("same as the run"));
    m_captionFields = {m_negativePrompt,
                       add(tr("Negative prompt"), m_negativePrompt, tr("What clips are guided away from"))};
    offerFiles(*m_conditioningFrames, tr("What the clips begin with"))
        ->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_O));
    m_beginningFields = {
        m_conditioningFrames,
        add(tr("Start from"), m_conditioningFrames,
            tr("An image or a video for all prompts, or one for each, separated by ; (Ctrl+O chooses)"))};
    const auto addFiles = [&](const QString& name, QLineEdit* field, const QString& tip,
                              std::vector<QWidget*>& fields) {
        field->setPlaceholderText(tr("same as the run"));
        offerFiles(*field, name);
        for (QWidget* widget : {add(name, field, tip), static_cast<QWidget*>(field)}) {
            widget->hide();
            fields.push_back(widget);
        }
    };
    addFiles(tr("End with"), m_lastFrames, tr("An image for all prompts, or one for each, separated by ;"),
             m_lastFrameFields);
    addFiles(tr("Reference"), m_references,
             tr("A picture of whom to animate for all prompts, or one for each, separated by ;"),
             m_characterFields);
    addFiles(tr("Reference pose"), m_referencePoses,
             tr("The reference's pose: a picture in which it is drawn, or key points (JSON), for all "
                "prompts, or one for each, separated by ;"),
             m_referencePoseFields);
    addFiles(tr("Poses"), m_poses,
             tr("A video of drawn poses, or key points (JSON), for all prompts, or one for each, "
                "separated by ; (for Champ folders that hold depth, normal, semantic_map and dwpose)"),
             m_characterFields);
    auto* alignName = add(tr("Align poses"), m_alignPoses,
                          tr("Limb by limb, from key points (JSON) of the reference and of the poses: for "
                             "whoever moves and is of another build than the character"));
    for (QWidget* widget : {alignName, static_cast<QWidget*>(m_alignPoses)}) {
        widget->hide();
        m_characterFields.push_back(widget);
    }
    add(tr("Seeds"), m_seeds, tr("Such as 0..3 or 1,5,9"));
    m_guidance->setPlaceholderText(tr("same as the run"));
    add(tr("Guidance"), m_guidance, tr("One scale or several, such as 1,3,5"));
    m_steps->setPlaceholderText(tr("same as the run"));
    add(tr("Sampler steps"), m_steps, tr("One number of steps or several, such as 10,50"));
    m_strength->setPlaceholderText(QStringLiteral("1"));
    m_adapterFields = {
        add(tr("Adapter strength"), m_strength,
            tr("By which what the adapter adds is multiplied: one number or several, such as 0,0.5,1")),
        m_strength};
    for (auto* widget : m_adapterFields) widget->hide();
    m_frames->setRange(0, kMaxFrames);
    m_frames->setSpecialValueText(tr("same as in training"));
    add(tr("Frames"), m_frames, tr("A clip longer than the model learned is joined from overlapping chunks"));
    m_overlap->setRange(0, kMaxFrames);
    m_overlap->setSpecialValueText(tr("a third of a chunk"));
    add(tr("Overlap"), m_overlap, tr("Frames that neighbouring chunks share"));
    m_blend->addItem(tr("when the chunks are finished"), QStringLiteral("linear"));
    m_blend->addItem(tr("after every sampler step"), QStringLiteral("progressive"));
    m_blend->addItem(tr("after every step, as AnimateAnyone"), QStringLiteral("uniform"));
    m_blend->addItem(tr("after every step, as MimicMotion"), QStringLiteral("triangle"));
    add(tr("Join"), m_blend, tr("After every step is smoother and holds the whole clip's latents at once"));
    m_parallel->setRange(1, 10'000);
    add(tr("Jobs at once"), m_parallel, tr("How many of the jobs may run at the same time"));
    add(tr("Time limit"), m_timeLimit,
        tr("Per job, such as 0:20:00; a job that reaches it is continued by another"));
    grid->setColumnStretch(1, 1);

    auto* head = makeRow(space::k8);
    auto* label = makeLabel(tr("Prompts, one per line"), TextStyle::Body, TextTone::Muted);
    label->setBuddy(m_prompts);
    auto* open = makeButton(tr("Open…"), ButtonKind::Ghost, QStringLiteral("folder"));
    open->setToolTip(tr("Read prompts from a file: one per line, or a JSON list"));
    head->addWidget(label);
    head->addWidget(m_promptCount);
    head->addStretch();
    head->addWidget(open);
    column->addLayout(head);
    m_prompts->setAccessibleName(tr("Prompts"));
    m_prompts->setTabChangesFocus(true);
    m_prompts->setMinimumHeight(kLeastPromptsHeight);
    column->addWidget(m_prompts, 1);
    column->addLayout(grid);
    form->setLayout(column);

    connect(open, &QPushButton::clicked, this, &SampleDialog::openPrompts);
    connect(m_runs, &QListWidget::itemChanged, this, &SampleDialog::schedulePlan);
    connect(m_checkpoint, &QComboBox::currentTextChanged, this, &SampleDialog::schedulePlan);
    connect(m_prompts, &QPlainTextEdit::textChanged, this, &SampleDialog::schedulePlan);
    for (auto* edit : {m_negativePrompt, m_conditioningFrames, m_lastFrames, m_references, m_poses,
                       m_referencePoses, m_seeds, m_guidance, m_steps, m_strength, m_timeLimit})
        connect(edit, &QLineEdit::textChanged, this, &SampleDialog::schedulePlan);
    for (auto* box : {m_frames, m_overlap, m_parallel})
        connect(box, &QSpinBox::valueChanged, this, &SampleDialog::schedulePlan);
    connect(m_alignPoses, &QCheckBox::toggled, this, [this] {
        showReferencePoseFields();
        schedulePlan();
    });
    connect(m_blend, &QComboBox::currentIndexChanged, this, &SampleDialog::schedulePlan);
    return form;
}

QWidget* SampleDialog::makePreview() {
    auto* side = new QWidget;
    auto* column = makeColumn(space::k8, {space::k24, space::k24, space::k24, space::k16});
    m_cost->setWordWrap(true);
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_script->setReadOnly(true);
    m_script->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_script->setFont(Theme::font(TextStyle::Mono));
    m_script->setAccessibleName(tr("The sbatch script"));
    m_script->setTabChangesFocus(true);
    column->addWidget(m_summary);
    column->addWidget(m_cost);
    column->addWidget(m_problem);
    column->addWidget(m_script, 1);
    side->setLayout(column);
    return side;
}

void SampleDialog::load(std::vector<std::string> runIds, const std::optional<Clip>& clip) {
    m_loading = readStore(
        this, m_worker.storeFile(),
        [shown = std::move(runIds), clip](const tracking::Store& store, const std::stop_token&) {
            const auto ids = sourcesOf(store, shown);
            Known known;
            for (const auto& id : ids)
                if (const auto run = store.run(id)) {
                    known.runs.emplace_back(id, run->name);
                    if (known.cluster.empty()) known.cluster = tagOf(*run, tag::kCluster);
                }
            if (clip) {
                known.prompts = {clip->prompt};
                known.seeds = std::to_string(clip->seed);
                for (const auto& id : ids)
                    for (const auto& checkpoint : store.checkpoints(id))
                        if (checkpoint.step == clip->step) known.checkpoint = std::to_string(clip->step);
            } else {
                known.prompts = promptsOf(store, ids);
            }
            known.resources = remote::singleProcessResources(store, ids);
            known.areAdapters = !ids.empty();
            for (const auto& id : ids)
                if (const auto run = store.run(id)) {
                    const auto is = [&](const char* key, const char* value) {
                        const auto found = run->params.find(key);
                        return found != run->params.end() && found->second == value;
                    };
                    const auto family = run->params.find("model.family");
                    if (family != run->params.end()) {
                        known.animates |= config::animates(family->second);
                        known.readsReferencePose |= config::readsReferencePose(family->second);
                        known.alignsPoses |= is("sampling.align_poses", "true");
                        known.readsCaptions &= !config::isUnet(family->second);
                    }
                    if (const auto found = run->params.find("model.conditioning");
                        found != run->params.end()) {
                        known.startsFromImages |= config::readsImages(found->second);
                        known.endsWithImages |= config::readsLastImages(found->second);
                    }
                    if (!run->params.contains("lora.rank") || is("lora.rank", "0")) known.areAdapters = false;
                }
            return known;
        },
        [this](const Known& known) { fill(known); }, [this](const Error& error) { emit failed(error); });
}

void SampleDialog::fill(const Known& known) {
    m_loaded = true;
    m_known = known;
    m_cluster = known.cluster;
    for (const auto& [id, name] : known.runs) {
        auto* item = new QListWidgetItem(sanitized(name), m_runs);
        item->setData(Qt::UserRole, QString::fromStdString(id));
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(Qt::Checked);
    }
    QStringList lines;
    for (const auto& prompt : known.prompts) lines << sanitized(prompt).simplified();
    m_prompts->setPlainText(lines.join(QLatin1Char('\n')));
    m_checkpoint->setCurrentText(QString::fromStdString(known.checkpoint));
    m_seeds->setText(QString::fromStdString(known.seeds));
    for (auto* widget : m_characterFields) widget->setVisible(known.animates);
    for (auto* widget : m_lastFrameFields) widget->setVisible(known.endsWithImages);
    m_alignPoses->setChecked(known.alignsPoses);
    showReferencePoseFields();
    for (auto* widget : m_captionFields) widget->setVisible(known.readsCaptions);
    for (auto* widget : m_beginningFields) widget->setVisible(!known.animates);
    for (auto* widget : m_adapterFields) widget->setVisible(known.areAdapters);
    m_conditioningFrames->setPlaceholderText(known.startsFromImages ? tr("an image") : tr("noise"));
    m_parallel->setValue(known.resources.parallelRuns);
    m_timeLimit->setText(QString::fromStdString(known.resources.timeLimit));
    m_prompts->setFocus();
    plan();
}

std::vector<std::string> SampleDialog::checkedRunIds() const {
    std::vector<std::string> ids;
    for (int i = 0; i < m_runs->count(); ++i)
        if (m_runs->item(i)->checkState() == Qt::Checked)
            ids.push_back(m_runs->item(i)->data(Qt::UserRole).toString().toStdString());
    return ids;
}

void SampleDialog::showReferencePoseFields() {
    for (auto* widget : m_referencePoseFields)
        widget->setVisible(m_known.readsReferencePose || m_alignPoses->isChecked());
}

void SampleDialog::showRunCount() {
    const auto runs = checkedRunIds().size();
    m_title->setText(runs == 0   ? tr("Sampling no run")
                     : runs == 1 ? tr("Sampling 1 run")
                                 : tr("Sampling %1 runs").arg(runs));
}

remote::SamplingRequest SampleDialog::request() const {
    const auto text = [](const QLineEdit* edit) { return edit->text().trimmed().toStdString(); };
    remote::SamplingRequest request;
    request.runIds = checkedRunIds();
    request.checkpoints = remote::parseCheckpointChoice(m_checkpoint->currentText().trimmed().toStdString());
    auto& job = request.job;
    job.prompts = config::parsePrompts(m_prompts->toPlainText().toStdString(), "Prompts");
    if (!text(m_negativePrompt).empty()) job.negative_prompt = text(m_negativePrompt);
    const auto files = [](const QLineEdit* field) {
        std::vector<std::string> named;
        for (const auto& file : field->text().split(kBetweenFiles, Qt::SkipEmptyParts))
            named.push_back(file.trimmed().toStdString());
        return named;
    };
    job.given_files = files(m_conditioningFrames);
    job.last_files = files(m_lastFrames);
    job.reference_files = files(m_references);
    job.pose_files = files(m_poses);
    // said only where it is another choice than the runs': trainers that were built earlier do not know it
    if (m_alignPoses->isChecked() != m_known.alignsPoses) job.align_poses = m_alignPoses->isChecked();
    job.reference_pose_files = files(m_referencePoses);
    job.seeds = config::parseWholeNumbers(text(m_seeds), "Seeds");
    if (!text(m_guidance).empty()) job.guidance = config::parseNumbers(text(m_guidance), "Guidance");
    if (!text(m_steps).empty()) job.steps = config::parseWholeNumbers(text(m_steps), "Sampler steps");
    if (!text(m_strength).empty()) job.strength = config::parseNumbers(text(m_strength), "Adapter strength");
    job.frames = m_frames->value();
    job.overlap = m_overlap->value();
    job.blend = m_blend->currentData().toString().toStdString();
    request.resources = m_known.resources;
    request.resources.parallelRuns = m_parallel->value();
    request.resources.timeLimit = text(m_timeLimit);
    return request;
}

void SampleDialog::plan() {
    m_task.cancel();
    showRunCount();
    remote::SamplingRequest wanted;
    try {
        wanted = request();
    } catch (const InputError& error) {
        m_planning = false;
        return showPreview({{}, {}, {}, QString::fromStdString(error.full())});
    }
    m_promptCount->setText(QString::number(wanted.job.prompts.size()));
    m_planning = true;
    m_task = readStore(
        this, m_worker.storeFile(),
        [wanted, profile = m_worker.profileFor(m_cluster)](const tracking::Store& store,
                                                           const std::stop_token&) {
            const auto checkpoints = remote::chooseCheckpoints(store, wanted);
            const auto plan =
                remote::planSampling(store, wanted, checkpoints, profile, profile.workspace, {});
            const auto estimate = remote::estimateSampling(store, plan, wanted.resources);
            Preview preview;
            preview.summary = inJobs(plan.clips, plan.runs.size(), wanted.resources.parallelRuns);
            if (estimate.known)
                preview.cost = tr("About %1. ")
                                   .arg(QString::fromStdString(durationText(
                                       std::max<std::int64_t>(1000, std::llround(estimate.seconds * 1000)))));
            preview.cost += sanitized(estimate.basis);
            preview.script = QString::fromStdString(plan.script);
            return preview;
        },
        [this](const Preview& preview) {
            m_planning = false;
            showPreview(preview);
        },
        [this](const Error& error) {
            m_planning = false;
            showPreview({{}, {}, {}, QString::fromStdString(error.full())});
        });
}

void SampleDialog::showPreview(const Preview& preview) {
    const bool valid = preview.problem.isEmpty();
    m_summary->setText(valid ? preview.summary : tr("Not ready"));
    m_cost->setText(preview.cost);
    m_cost->setVisible(!preview.cost.isEmpty());
    m_problem->setText(preview.problem);
    m_problem->setVisible(!valid);
    m_script->setPlainText(preview.script);
    setValid(valid);
}

void SampleDialog::openPrompts() {
    const auto chosen = [this](const QString& name) {
        runAsync(
            this,
            [file = std::filesystem::path(name.toStdString())](const std::stop_token&) {
                return config::parsePrompts(readFile(file), file.filename().string());
            },
            [this](const std::vector<std::string>& prompts) {
                QStringList lines;
                for (const auto& prompt : prompts) lines << sanitized(prompt).simplified();
                m_prompts->setPlainText(lines.join(QLatin1Char('\n')));
            },
            [this](const Error& error) { emit failed(error); });
    };
    chooseFile(*this, tr("Open prompts"), tr("Prompts (*.txt *.json);;All files (*)"), chosen);
}

QAction* SampleDialog::offerFiles(QLineEdit& field, const QString& title) {
    auto* choose = field.addAction(icon(QStringLiteral("folder")), QLineEdit::TrailingPosition);
    choose->setText(tr("Choose files"));
    connect(choose, &QAction::triggered, this, [this, &field, title] { chooseFiles(field, title); });
    return choose;
}

void SampleDialog::chooseFiles(QLineEdit& field, const QString& title) {
    ui::chooseFiles(
        *this, title,
        tr("Images, videos and key points (*.png *.jpg *.jpeg *.webp *.mp4 *.mov *.mkv *.webm *.json);;"
           "All files (*)"),
        [&field](const QStringList& files) { field.setText(files.join(QStringLiteral("; "))); });
}

void SampleDialog::submit() {
    m_worker.sample(request());
}

QString SampleDialog::summary() const {
    return m_summary->text();
}

QString SampleDialog::problem() const {
    return m_problem->text();
}

QString SampleDialog::script() const {
    return m_script->toPlainText();
}

}  // namespace dailies::ui
