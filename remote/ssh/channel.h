#pragma once

#include "remote/ssh/connection.h"

#include <libssh/callbacks.h>

#include <optional>
#include <string>
#include <string_view>

namespace dailies::remote::ssh {

/// One command on the other side, with its streams and its end. `command` is parsed by the user's login
/// shell, whichever that is, so it must be a constant that all shells read alike; everything that varies goes
/// through standard input.
class Channel {
public:
    Channel(Connection& connection, const char* command);
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    void write(std::string_view bytes);  ///< blocks while the other side does not read
    void sendEof();

    /// Takes what has arrived, waiting up to `patience` for standard output. False = nothing came.
    bool collect(std::string& out, std::string& err, std::chrono::milliseconds patience);
    /// Standard output alone, in large pieces: the server may then send this many bytes ahead, which keeps a
    /// distant one busy. How many came within `patience`, 0 for none.
    std::size_t read(std::string& buffer, std::chrono::milliseconds patience);
    bool atEnd() const;                                         ///< both streams have ended and are read
    std::optional<int> exitCode() const { return m_exitCode; }  ///< 128 + n when killed by signal n
    /// After the streams' end. Throws Lost when the server gives none.
    int waitForExit();

private:
    bool drain(bool isError, std::string& into);
    static void onExitStatus(ssh_session, ssh_channel, int status, void* self);
    static void onExitSignal(ssh_session, ssh_channel, const char* signal, int core, const char* message,
                             const char* language, void* self);

    Connection& m_connection;
    ssh_channel m_channel = nullptr;
    ssh_channel_callbacks_struct m_callbacks{};
    std::optional<int> m_exitCode;
};

}  // namespace dailies::remote::ssh
