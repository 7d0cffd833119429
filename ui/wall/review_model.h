#pragma once

#include "core/base/error.h"
#include "core/judging/clip_review.h"
#include "ui/bridge/pending_writes.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dailies::ui {

/// What is known and said of the clips on show: judged here it counts at once and is written to the store by
/// and by, and can be taken back. GUI thread only.
class ReviewModel : public QObject {
    Q_OBJECT

public:
    ReviewModel(std::filesystem::path storeFile, std::string author, QObject* parent = nullptr);

    const std::string& author() const { return m_author; }

    /// What the store holds. While something judged here is still being written, that is newer and stays.
    void setRead(judging::Reviews reviews, std::set<judging::ClipKey> seen);

    const judging::Reviews& reviews() const { return m_reviews; }
    const judging::ClipReview& review(const judging::ClipKey& clip) const;
    judging::Opinion opinion(const judging::ClipKey& clip) const { return review(clip).of(m_author); }
    bool isSeen(const judging::ClipKey& clip) const { return m_seen.contains(clip); }

    /// `what` names it for undo: "4 stars". Judging a clip is seeing it.
    void judge(const judging::ClipKey& clip, const judging::ReviewAction& action, const QString& what);
    void rate(const judging::ClipKey& clip, int stars);  ///< 0 takes the rating away
    void reject(const judging::ClipKey& clip, bool rejected);
    void toggleReject(const judging::ClipKey& clip) { reject(clip, !opinion(clip).rejected); }
    void setSeen(const std::vector<judging::ClipKey>& clips, bool seen = true);

    /// Takes back what was judged here last, or brings it back; false when there is nothing.
    bool undo();
    bool redo();
    bool canUndo() const { return !m_done.empty(); }
    bool canRedo() const { return !m_takenBack.empty(); }

    bool isWriting() const { return !m_writes.isDone(); }

signals:
    void changed();
    void notification(const QString& text);  ///< "Undone: 4 stars"
    void failed(const dailies::Error& error);

private:
    struct Act {
        judging::ClipKey clip;
        judging::ClipReview before, after;
        QString what;
        std::shared_ptr<std::int64_t> id;  ///< of the judgement; belongs to the writer's thread
    };

    void setReview(const judging::ClipKey& clip, const judging::ClipReview& review);

    std::string m_author;
    judging::Reviews m_reviews;
    std::set<judging::ClipKey> m_seen;
    std::vector<Act> m_done, m_takenBack;
    PendingWrites m_writes;
};

}  // namespace dailies::ui
