#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace dailies::trainer {

/// dailies-train as a child process.
class TrainerProcess {
public:
    using Variables = std::map<std::string, std::string>;

    /// Loading LibTorch takes longer than most runs of tests: a process is a fork of one that has it loaded,
    /// but for tests of what loading does itself, such as to memory, and for variables that it reads.
    enum class LibTorch { Shared, LoadedAnew };

    /// `fileLimit`: the largest file that it may write, 0 for any.
    TrainerProcess(const std::vector<std::string>& words, const std::filesystem::path& output,
                   const Variables& variables = {}, std::int64_t fileLimit = 0,
                   LibTorch libtorch = LibTorch::Shared);
    ~TrainerProcess();
    TrainerProcess(const TrainerProcess&) = delete;
    TrainerProcess& operator=(const TrainerProcess&) = delete;

    void signal(int number) const;
    pid_t pid() const { return m_pid; }
    int wait();  ///< the exit status, or 128 + the signal that ended it

private:
    pid_t m_pid = -1;
};

}  // namespace dailies::trainer
