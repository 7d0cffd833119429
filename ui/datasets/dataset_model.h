#pragma once

#include "core/base/error.h"
#include "core/curation/clip_set.h"
#include "core/curation/curated_folder.h"
#include "ui/bridge/run_async.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dailies::ui {

/// Where a clip's frames are: its own file, or the film.
struct ClipPlace {
    std::string file;
    int first = 0;  ///< its first frame there
    int frames = 1;
    double fps = 24;
    bool operator==(const ClipPlace&) const = default;
};

/// A curated folder, and the rules and corrections of the moment, which nobody else sees until they are
/// saved. Judges all clips at once whenever one of them changes; reads and writes on a worker. GUI thread
/// only.
class DatasetModel : public QObject {
    Q_OBJECT

public:
    explicit DatasetModel(QObject* parent = nullptr);

    /// The first clips are there at once, all of them soon. What is open stays where the folder cannot be
    /// read. What was changed in a folder and not saved is there again when it is opened again.
    void open(const std::filesystem::path& folder);
    /// Nothing is being read or written.
    bool isSettled() const { return !m_reading && !m_saving; }
    bool isWhole() const { return m_whole; }
    bool isSaving() const { return m_saving; }

    /// All that is known of the folder but its clips.
    const curation::CuratedFolder& folder() const { return m_folder; }
    /// What a model answered of clips that have no caption for it; known once the folder is whole.
    const curation::Captions& failedCaptions() const { return m_failedCaptions; }
    const curation::ClipSet& clips() const { return *m_clips; }
    const curation::Judgement& judgement() const { return m_judgement; }
    bool isKept(std::size_t clip) const { return m_judgement.reasons[clip] == 0; }
    ClipPlace placeOf(std::size_t clip) const;

    const curation::VerdictRules& rules() const { return m_rules; }
    void setRules(const curation::VerdictRules& rules);
    curation::Correction correction(std::size_t clip) const { return m_corrections[clip]; }
    void correct(std::size_t clip, curation::Correction correction);
    const std::string& caption(std::size_t clip) const;
    /// In one line; empty: it has none.
    void setCaption(std::size_t clip, const std::string& caption);
    bool hasCaptions() const { return m_hasCaptions; }  ///< any clip

    /// Rules, corrections or captions are not those of the folder.
    bool isChanged() const;
    /// Back to those of the folder.
    void reset();
    void save();

    /// Folders whose rules, corrections or captions are not saved: the open one, and those that were left so.
    std::vector<std::filesystem::path> unsavedFolders();
    /// Saves all of these; `allSaved` or `failed` follows.
    void saveAll();
    /// The cluster that the open copy is of has its verdicts now.
    void noteSent(const std::filesystem::path& copy);

signals:
    void opened(bool otherFolder);  ///< other clips are there, or more of them
    void judged();
    void captionChanged(std::size_t clip);
    void stateChanged();  ///< reading, saving, changed
    void saved(const QString& text);
    /// `cluster`: that the folder is a copy of one of; empty: it is none.
    void folderSaved(const QString& folder, const QString& cluster);
    void allSaved();
    void failed(const dailies::Error& error);

private:
    struct Loaded {
        curation::CuratedFolder folder;
        curation::ClipSet clips;
        bool isWhole = true;
        curation::Captions failedCaptions;
    };
    static std::shared_ptr<Loaded> load(const std::filesystem::path& folder, std::size_t atMost,
                                        const std::stop_token& stop);
    void read(const std::filesystem::path& folder, std::size_t atMost);
    void take(const std::shared_ptr<Loaded>& loaded);
    void keepDraft();
    void judge();
    curation::FolderChanges changes() const;
    curation::Corrections changedCorrections() const;
    /// What is sent to be saved, and to be held against what is changed meanwhile.
    struct Sent {
        std::shared_ptr<const curation::ClipSet> clips;
        curation::VerdictRules rules;
        std::vector<curation::Correction> corrections;
        std::map<std::size_t, std::string> captions;
    };
    Sent sent() const { return {m_clips, m_rules, m_corrections, m_newCaptions}; }
    void takeSaved(const curation::SavedFolder& saved, const Sent& sent);
    QString savedText(const curation::ClipListSummary& summary, bool isOpen) const;

    std::map<std::filesystem::path, curation::FolderChanges> m_drafts;  ///< of folders that were left unsaved
    curation::CuratedFolder m_folder;
    curation::Captions m_failedCaptions;
    std::shared_ptr<const curation::ClipSet> m_clips;
    curation::VerdictRules m_rules;
    std::vector<curation::Correction> m_corrections;  ///< one a clip
    std::vector<curation::Correction> m_savedCorrections;
    std::size_t m_corrected = 0;                         ///< clips whose correction is not the saved one
    std::map<std::size_t, std::string> m_newCaptions;    ///< by clip; not saved
    std::map<std::size_t, std::string> m_savedCaptions;  ///< since the folder was read
    bool m_hasCaptions = false;
    curation::Judgement m_judgement;
    AsyncTask m_task;
    bool m_reading = false, m_saving = false, m_whole = true;
};

}  // namespace dailies::ui
