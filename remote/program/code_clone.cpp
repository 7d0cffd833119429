#include "remote/program/code_clone.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "remote/cluster/remote_folder.h"
#include "remote/job_script/sbatch_text.h"

namespace dailies::remote {

namespace {

// Git asks nobody for a password here, and gives up on a network that is silent. A folder appears by its
// commit's name only once it is whole. A server may refuse a commit that no branch or tag names: then all of
// them are fetched, among which it can be found. The last line tells the commit.
constexpr std::string_view kClone = R"sh(set -eu
export GIT_TERMINAL_PROMPT=0 GIT_HTTP_LOW_SPEED_LIMIT=1 GIT_HTTP_LOW_SPEED_TIME=30
export GIT_SSH_COMMAND="${GIT_SSH_COMMAND:-ssh -o BatchMode=yes -o ConnectTimeout=20}"
export LC_ALL=C
command -v git >/dev/null || { echo "there is no git on the login node" >&2; exit 1; }
code=@CODE@ address=@ADDRESS@ ref=@REF@
isCommit() { case $1 in *[!0-9a-f]*) return 1 ;; esac; [ ${#1} -ge 7 ]; }
if isCommit "$ref" && [ ${#ref} -ge 40 ] && [ -d "$code/$ref" ]; then
    echo "$ref"
    exit
fi
mkdir -p -- "$code"
new=$(mktemp -d -- "$code/clone.XXXXXX")
trap 'rm -rf -- "$new"' EXIT
cd -- "$new"
git init --quiet
git remote add origin "$address"
if git fetch --quiet --depth 1 origin "${ref:-HEAD}" 2>problem; then
    commit=$(git rev-parse --verify --quiet 'FETCH_HEAD^{commit}')
elif isCommit "$ref" && git fetch --quiet --tags origin '+refs/heads/*:refs/remotes/origin/*' &&
    commit=$(git rev-parse --verify --quiet "$ref^{commit}"); then
    :
else
    cat problem >&2
    exit 1
fi
rm -f problem
if [ ! -d "$code/$commit" ]; then
    git checkout --quiet --detach "$commit"
    git submodule --quiet update --init --recursive
    chmod 755 .
    mv -T -- "$new" "$code/$commit" 2>/dev/null || [ -d "$code/$commit" ]
fi
echo "$commit"
)sh";

/// What git meant: its line that begins with "fatal:", else its last.
std::string reasonOf(const std::string& said) {
    std::string reason;
    for (const auto& line : split(trim(said), '\n')) {
        if (const auto fatal = line.find("fatal: "); fatal != std::string::npos)
            return trim(line.substr(fatal + 7));
        if (!trim(line).empty()) reason = trim(line);
    }
    return reason;
}

}  // namespace

sweep::Code cloneCode(Cluster& cluster, const sweep::Code& code, const Progress& progress,
                      std::stop_token stop) {
    const std::string folder = cluster.workspace() + "/code";
    if (progress)
        progress("Cloning " + sanitizedText(code.repository) +
                 (code.commit.empty() ? "" : " at " + sanitizedText(code.commit)) + " on the cluster");
    const auto done = cluster.session().run(fill(kClone, {{"CODE", shellQuote(folder)},
                                                          {"ADDRESS", shellQuote(code.repository)},
                                                          {"REF", shellQuote(code.commit)}}),
                                            stop);
    if (!done.ok())
        throw InputError("code: " + sanitizedText(code.repository) +
                             (code.commit.empty() ? "" : " at " + sanitizedText(code.commit)) +
                             " could not be cloned on cluster '" + cluster.profile().name +
                             "': " + sanitizedText(reasonOf(done.err)) + ".",
                         "Check the address, and that the login node reaches it and may read it (an SSH key "
                         "or a credential helper there). Or name a folder: its content is uploaded.");
    sweep::Code cloned{sweep::Code::Place::Cluster, {}, std::string(trim(done.out)), code.repository};
    cloned.folder = folder + "/" + cloned.commit;
    if (code.folder.empty()) return cloned;
    cloned.folder += "/" + code.folder;
    if (!isRemoteFolder(cluster.session(), cloned.folder, stop))
        throw InputError("code: there is no folder " + sanitizedText(code.folder) + " in " +
                         sanitizedText(code.repository) + " at " + cloned.commit + ".");
    return cloned;
}

}  // namespace dailies::remote
