#include "ui/datasets/dataset_model.h"

#include "core/base/counts.h"
#include "core/curation/clip_files.h"

#include <algorithm>
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
    loaded->isWhole = atMost == 0 || loaded->clips.size() + loaded->folder.unread.size() < atMost;
    // the first screen of many does not wait for it
    if (loaded->isWhole) loaded->failedCaptions = curation::loadFailedCaptions(folder);
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
        [this, folder](const std::shared_ptr<Loaded>& loaded) {
            take(loaded);
            if (!m_whole) return read(folder, 0);
            m_reading = false;
            emit stateChanged();
        },
        [this](const Error& error) {
            m_reading = false;
            emit failed(error);
            emit stateChanged();
        });
}

void DatasetModel::keepDraft() {
    if (isChanged())
        m_drafts[m_folder.folder] = changes();
    else
        m_drafts.erase(m_folder.folder);
}

void DatasetModel::take(const std::shared_ptr<Loaded>& loaded) {
    keepDraft();
    const bool otherFolder = m_whole || loaded->folder.folder != m_folder.folder;
    m_clips = std::shared_ptr<const curation::ClipSet>(loaded, &loaded->clips);
    m_folder = std::move(loaded->folder);
    m_failedCaptions = std::move(loaded->failedCaptions);
    m_whole = loaded->isWhole;
    m_rules = m_folder.config.verdict;
    m_savedCorrections = m_clips->columnOf(m_folder.corrections);
    m_corrections = m_savedCorrections;
    m_newCaptions.clear();
    m_savedCaptions.clear();
    m_hasCaptions =
        std::ranges::any_of(m_clips->clips(), [](const auto& clip) { return !clip.caption.empty(); });
    if (const auto draft = m_drafts.find(m_folder.folder); draft != m_drafts.end()) {
        m_rules = draft->second.rules;
        for (const auto& [id, correction] : draft->second.corrections)
            if (const auto clip = m_clips->find(id)) m_corrections[*clip] = correction;
        for (const auto& [id, text] : draft->second.captions)
            if (const auto clip = m_clips->find(id)) m_newCaptions[*clip] = text;
    }
    m_corrected = changedCorrections().size();
    m_judgement = m_clips->judge(m_rules, m_corrections);
    emit opened(otherFolder);
    emit judged();
}

ClipPlace DatasetModel::placeOf(std::size_t clip) const {
    const auto& record = (*m_clips)[clip];
    const auto name = curation::clipFileName(record);
    if (m_folder.files.contains(name))
        return {(m_folder.folder / curation::kClipFolder / name).string(), 0, record.frames(), record.fps};
    if (m_folder.absentFilms.contains(record.source) && m_folder.previews.contains(name)) {
        const int stride = curation::previewStride(record.fps);
        return {(m_folder.folder / curation::kPreviewFolder / name).string(), 0,
                (record.frames() + stride - 1) / stride, record.fps / stride};
    }
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

const std::string& DatasetModel::caption(std::size_t clip) const {
    for (const auto* captions : {&m_newCaptions, &m_savedCaptions})
        if (const auto found = captions->find(clip); found != captions->end()) return found->second;
    return (*m_clips)[clip].caption;
}

void DatasetModel::setCaption(std::size_t clip, const std::string& caption) {
    if (caption == this->caption(clip)) return;
    m_newCaptions.erase(clip);
    if (caption != this->caption(clip)) m_newCaptions[clip] = caption;
    m_hasCaptions = m_hasCaptions || !caption.empty();
    emit captionChanged(clip);
    emit stateChanged();
}

void DatasetModel::judge() {
    m_judgement = m_clips->judge(m_rules, m_corrections);
    emit judged();
    emit stateChanged();
}

bool DatasetModel::isChanged() const {
    return m_corrected > 0 || !m_newCaptions.empty() || m_rules != m_folder.config.verdict;
}

curation::FolderChanges DatasetModel::changes() const {
    curation::FolderChanges changes{.rules = m_rules, .corrections = changedCorrections()};
    for (const auto& [clip, text] : m_newCaptions) changes.captions[(*m_clips)[clip].id] = text;
    return changes;
}

curation::Corrections DatasetModel::changedCorrections() const {
    curation::Corrections changes;
    for (std::size_t i = 0; i < m_corrections.size(); ++i)
        if (m_corrections[i] != m_savedCorrections[i]) changes[(*m_clips)[i].id] = m_corrections[i];
    return changes;
}

void DatasetModel::reset() {
    m_rules = m_folder.config.verdict;
    m_corrections = m_savedCorrections;
    m_corrected = 0;
    const auto written = std::exchange(m_newCaptions, {});
    for (const auto& [clip, text] : written) emit captionChanged(clip);
    judge();
}

void DatasetModel::save() {
    if (m_saving || m_reading || m_folder.folder.empty()) return;
    m_saving = true;
    emit stateChanged();
    runAsync(
        this,
        [folder = m_folder.folder, changed = changes()](const std::stop_token&) {
            // not given up half-way: the window may close meanwhile
            return curation::saveChanges(folder, changed);
        },
        [this, folder = m_folder.folder, cluster = m_folder.origin ? m_folder.origin->cluster : "",
         sent = sent()](const curation::SavedFolder& saved) {
            m_saving = false;
            // else another folder was opened meanwhile, or this one anew
            const bool isOpen = sent.clips == m_clips;
            if (isOpen) takeSaved(saved, sent);
            if (isOpen && m_folder.origin) m_folder.origin->unsent = true;
            emit this->saved(savedText(saved.summary, isOpen));
            emit stateChanged();
            emit folderSaved(QString::fromStdString(folder.string()), QString::fromStdString(cluster));
        },
        [this](const Error& error) {
            m_saving = false;
            emit failed(error);
            emit stateChanged();
        });
}

std::vector<std::filesystem::path> DatasetModel::unsavedFolders() {
    keepDraft();
    std::vector<std::filesystem::path> folders;
    for (const auto& [folder, draft] : m_drafts) folders.push_back(folder);
    return folders;
}

void DatasetModel::saveAll() {
    if (m_saving) return;
    keepDraft();
    m_saving = true;
    emit stateChanged();
    runAsync(
        this,
        [drafts = m_drafts](const std::stop_token&) {
            std::map<std::filesystem::path, curation::SavedFolder> saved;
            for (const auto& [folder, draft] : drafts)
                saved.emplace(folder, curation::saveChanges(folder, draft));
            return saved;
        },
        [this, sent = sent()](const std::map<std::filesystem::path, curation::SavedFolder>& saved) {
            m_saving = false;
            m_drafts.clear();
            if (const auto open = saved.find(m_folder.folder); open != saved.end() && sent.clips == m_clips)
                takeSaved(open->second, sent);
            emit stateChanged();
            emit allSaved();
        },
        [this](const Error& error) {
            m_saving = false;
            emit failed(error);
            emit stateChanged();
        });
}

void DatasetModel::takeSaved(const curation::SavedFolder& saved, const Sent& sent) {
    m_folder.config.verdict = sent.rules;
    m_folder.corrections = saved.corrections;
    m_folder.otherVerdicts = 0;
    m_savedCorrections = m_clips->columnOf(saved.corrections);
    // other people's corrections appear; what was changed while it was saved stays changed
    const auto before = std::exchange(m_corrections, m_savedCorrections);
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i] != sent.corrections[i]) m_corrections[i] = before[i];
    m_corrected = changedCorrections().size();
    for (const auto& [clip, text] : sent.captions) {
        m_savedCaptions[clip] = text;
        if (const auto now = m_newCaptions.find(clip); now != m_newCaptions.end() && now->second == text)
            m_newCaptions.erase(now);
    }
    judge();
}

void DatasetModel::noteSent(const std::filesystem::path& copy) {
    if (copy != m_folder.folder || !m_folder.origin) return;
    m_folder.origin->unsent = false;
    emit stateChanged();
}

QString DatasetModel::savedText(const curation::ClipListSummary& summary, bool isOpen) const {
    const auto counted = [](auto count) {
        return QString::fromStdString(grouped(static_cast<long long>(count)));
    };
    QString text =
        tr("Saved: %1 of %2 kept")
            .arg(counted(summary.kept), QString::fromStdString(pluralize(summary.clips, "clip", "clips")));
    std::size_t withoutFile = 0;
    for (std::size_t i = 0; isOpen && !m_folder.files.empty() && i < m_clips->size(); ++i)
        withoutFile += isKept(i) && !m_folder.files.contains(curation::clipFileName((*m_clips)[i]));
    if (withoutFile > 0)
        text += tr(". %1 without a file yet: curate again with --write-clips").arg(counted(withoutFile));
    return text;
}

}  // namespace dailies::ui
