#include "ui/datasets/dataset_model.h"

#include "core/base/counts.h"
#include "core/curation/clip_files.h"

#include <utility>

namespace dailies::ui {

namespace {
constexpr std::size_t kFirstClips = 256;  ///< more than a screen holds
}

using curation::Correction;

DatasetModel::DatasetModel(QObject* parent)
    : QObject(parent), m_clips(std::make_shared<const curation::ClipSet>()) {}

std::shared_ptr<DatasetModel::Loaded> DatasetModel::load(const std::filesystem::path& folder,
                                                         std::size_t atMost, const std::stop_token& stop) {
    auto loaded = std::make_shared<Loaded>();
    loaded->folder = curation::loadCuratedFolder(folder, atMost, stop);
    loaded->clips = curation::ClipSet(std::exchange(loaded->folder.clips, {}));
    return loaded;
}

void DatasetModel::open(const std::filesystem::path& folder) {
    m_task.cancel();
    m_reading = true;
    emit stateChanged();
    read(folder, kFirstClips);
}

void DatasetModel::read(const std::filesystem::path& folder, std::size_t atMost) {
    m_task = runAsync(
        this, [folder, atMost](const std::stop_token& stop) { return load(folder, atMost, stop); },
        [this, folder, atMost](const std::shared_ptr<Loaded>& loaded) {
            const bool whole = atMost == 0 || loaded->clips.size() + loaded->folder.unread.size() < atMost;
            take(loaded, whole);
            if (!whole) return read(folder, 0);
            m_reading = false;
            emit stateChanged();
        },
        [this](const Error& error) {
            m_reading = false;
            emit failed(error);
            emit stateChanged();
        });
}

void DatasetModel::take(const std::shared_ptr<Loaded>& loaded, bool whole) {
    const bool goesOn = !m_whole && loaded->folder.folder == m_folder.folder;
    // what a person changed while the rest was read stays changed
    const auto rules = goesOn ? m_rules : loaded->folder.config.verdict;
    const auto changed = goesOn ? changes() : curation::Corrections();
    m_clips = std::shared_ptr<const curation::ClipSet>(loaded, &loaded->clips);
    m_folder = std::move(loaded->folder);
    m_whole = whole;
    m_rules = rules;
    m_savedCorrections = m_clips->columnOf(m_folder.corrections);
    m_corrections = m_savedCorrections;
    for (const auto& [id, correction] : changed)
        if (const auto clip = m_clips->find(id)) m_corrections[*clip] = correction;
    m_judgement = m_clips->judge(m_rules, m_corrections);
    m_corrected = changes().size();
    emit opened(!goesOn);
    emit judged();
}

ClipPlace DatasetModel::placeOf(std::size_t clip) const {
    const auto& record = (*m_clips)[clip];
    const auto name = curation::clipFileName(record);
    if (m_folder.files.contains(name))
        return {(m_folder.folder / curation::kClipFolder / name).string(), 0, record.frames(), record.fps};
    return {record.source, record.firstFrame, record.frames(), record.fps};
}

void DatasetModel::setRules(const curation::VerdictRules& rules) {
    if (rules == m_rules) return;
    m_rules = rules;
    judge();
}

void DatasetModel::correct(std::size_t clip, Correction correction) {
    if (m_corrections[clip] == correction) return;
    const bool was = m_corrections[clip] != m_savedCorrections[clip];
    m_corrections[clip] = correction;
    const bool is = correction != m_savedCorrections[clip];
    m_corrected = m_corrected + (is ? 1 : 0) - (was ? 1 : 0);
    judge();
}

void DatasetModel::judge() {
    m_judgement = m_clips->judge(m_rules, m_corrections);
    emit judged();
    emit stateChanged();
}

bool DatasetModel::isChanged() const {
    return m_corrected > 0 || m_rules != m_folder.config.verdict;
}

curation::Corrections DatasetModel::changes() const {
    curation::Corrections changes;
    for (std::size_t i = 0; i < m_corrections.size(); ++i)
        if (m_corrections[i] != m_savedCorrections[i]) changes[(*m_clips)[i].id] = m_corrections[i];
    return changes;
}

void DatasetModel::reset() {
    m_rules = m_folder.config.verdict;
    m_corrections = m_savedCorrections;
    m_corrected = 0;
    judge();
}

void DatasetModel::save() {
    if (m_saving || m_reading || m_folder.folder.empty()) return;
    m_saving = true;
    emit stateChanged();
    runAsync(
        this,
        [folder = m_folder.folder, rules = m_rules, changed = changes()](const std::stop_token&) {
            // not given up half-way: the window may close meanwhile
            return curation::saveVerdicts(folder, rules, changed);
        },
        [this, rules = m_rules, folder = m_folder.folder](const curation::SavedFolder& saved) {
            m_saving = false;
            if (folder == m_folder.folder) takeSaved(saved, rules);
            emit stateChanged();
        },
        [this](const Error& error) {
            m_saving = false;
            emit failed(error);
            emit stateChanged();
        });
}

void DatasetModel::takeSaved(const curation::SavedFolder& saved, const curation::VerdictRules& rules) {
    const auto unsaved = changes();
    const auto before = m_corrections;
    m_folder.config.verdict = rules;
    m_folder.corrections = saved.corrections;
    m_folder.otherVerdicts = 0;
    m_savedCorrections = m_clips->columnOf(saved.corrections);
    // another person's corrections appear; what was changed while it was saved stays changed
    m_corrections = m_savedCorrections;
    for (const auto& [id, correction] : unsaved)
        if (const auto clip = m_clips->find(id)) m_corrections[*clip] = before[*clip];
    m_corrected = changes().size();
    judge();
    QString text = tr("Saved: %1 of %2 kept")
                       .arg(QString::fromStdString(grouped(saved.summary.kept)),
                            QString::fromStdString(pluralize(saved.summary.clips, "clip", "clips")));
    std::size_t withoutFile = 0;
    for (std::size_t i = 0; i < m_clips->size() && !m_folder.files.empty(); ++i)
        withoutFile += isKept(i) && !m_folder.files.contains(curation::clipFileName((*m_clips)[i]));
    if (withoutFile > 0)
        text += tr(". %1 without a file yet: curate again with --write-clips")
                    .arg(QString::fromStdString(grouped(static_cast<long long>(withoutFile))));
    emit this->saved(text);
}

}  // namespace dailies::ui
