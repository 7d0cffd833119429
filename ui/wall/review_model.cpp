#include "ui/wall/review_model.h"

#include "core/base/clock.h"
#include "core/judging/judgement_records.h"
#include "core/judging/seen_clips.h"

#include <algorithm>
#include <utility>

namespace dailies::ui {

ReviewModel::ReviewModel(std::filesystem::path storeFile, std::string author, QObject* parent)
    : QObject(parent),
      m_author(std::move(author)),
      m_writes(this, std::move(storeFile), [this](const Error& error) { emit failed(error); }) {}

void ReviewModel::setRead(judging::Reviews reviews, std::set<judging::ClipKey> seen) {
    if (isWriting()) return;
    m_reviews = std::move(reviews);
    m_seen = std::move(seen);
    emit changed();
}

const judging::ClipReview& ReviewModel::review(const judging::ClipKey& clip) const {
    static const judging::ClipReview none;
    const auto found = m_reviews.find(clip);
    return found == m_reviews.end() ? none : found->second;
}

void ReviewModel::judge(const judging::ClipKey& clip, const judging::ReviewAction& action,
                        const QString& what) {
    judging::Judgement judgement{clip, m_author, unixMillis(), action};
    try {
        judgement = judging::validate(std::move(judgement));
    } catch (const Error& error) {
        emit failed(error);
        return;
    }
    Act act{clip, review(clip), review(clip), what, std::make_shared<std::int64_t>(0)};
    act.after.apply(judgement);
    m_writes.add(
        [judgement, id = act.id](tracking::Store& store) { *id = judging::record(store, judgement); });
    m_done.push_back(act);
    m_takenBack.clear();
    if (!isSeen(clip)) {
        m_seen.insert(clip);
        m_writes.add([author = m_author, clip](tracking::Store& store) {
            judging::markSeen(store, author, {clip}, unixMillis());
        });
    }
    setReview(clip, act.after);
}

void ReviewModel::rate(const judging::ClipKey& clip, int stars) {
    judge(clip, judging::Stars{stars},
          stars == 0   ? tr("no stars")
          : stars == 1 ? tr("1 star")
                       : tr("%1 stars").arg(stars));
}

void ReviewModel::reject(const judging::ClipKey& clip, bool rejected) {
    judge(clip, judging::Rejection{rejected}, rejected ? tr("rejecting a clip") : tr("keeping a clip"));
}

void ReviewModel::setReview(const judging::ClipKey& clip, const judging::ClipReview& review) {
    m_reviews[clip] = review;
    if (review.empty()) m_reviews.erase(clip);
    emit changed();
}

void ReviewModel::setSeen(const std::vector<judging::ClipKey>& clips, bool seen) {
    std::vector<judging::ClipKey> others;
    std::ranges::copy_if(clips, std::back_inserter(others),
                         [&](const judging::ClipKey& clip) { return isSeen(clip) != seen; });
    if (others.empty()) return;
    for (const auto& clip : others) {
        if (seen)
            m_seen.insert(clip);
        else
            m_seen.erase(clip);
    }
    m_writes.add([author = m_author, others, seen](tracking::Store& store) {
        if (seen)
            judging::markSeen(store, author, others, unixMillis());
        else
            judging::markUnseen(store, author, others);
    });
    emit changed();
}

bool ReviewModel::undo() {
    if (m_done.empty()) return false;
    Act act = std::move(m_done.back());
    m_done.pop_back();
    // the id is there by then: the writer works in order
    m_writes.add([id = act.id](tracking::Store& store) { judging::setRetracted(store, *id, true); });
    emit notification(tr("Undone: %1").arg(act.what));
    setReview(act.clip, act.before);
    m_takenBack.push_back(std::move(act));
    return true;
}

bool ReviewModel::redo() {
    if (m_takenBack.empty()) return false;
    Act act = std::move(m_takenBack.back());
    m_takenBack.pop_back();
    m_writes.add([id = act.id](tracking::Store& store) { judging::setRetracted(store, *id, false); });
    emit notification(tr("Redone: %1").arg(act.what));
    setReview(act.clip, act.after);
    m_done.push_back(std::move(act));
    return true;
}

}  // namespace dailies::ui
