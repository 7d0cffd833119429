#pragma once

#include <memory>
#include <stdexcept>
#include <streambuf>

namespace dailies {

/// What was written to standard output did not arrive. No `Error`, which work that goes on without its part
/// would take for its own.
class StdoutWriteError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Standard output of a program whose answer others read. While it lives, a write to `std::cout` that fails
/// (a full disk, a closed pipe) throws `StdoutWriteError`, because an answer that was cut short is no
/// success. To be made at the beginning of main().
///
/// The program outlives the signals that come with such writes, SIGPIPE and SIGXFSZ; programs that it starts
/// have them as ever. Descriptors 0 to 2 that are closed are taken, lest a file that is opened later is
/// written to as if it were a terminal.
class StdoutGuard {
public:
    StdoutGuard();
    ~StdoutGuard();
    StdoutGuard(const StdoutGuard&) = delete;
    StdoutGuard& operator=(const StdoutGuard&) = delete;

    /// Writes what is still held back; to be called before the program says that it succeeded.
    void finish();

private:
    class Buffer;
    std::unique_ptr<Buffer> m_buffer;
    std::streambuf* m_before;
};

}  // namespace dailies
