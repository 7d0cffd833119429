#pragma once

#include "ui/main_window/options.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::app {

/// Opens the desktop program's window from a command. Copyable; `argv` must outlive it.
class WindowOpener {
public:
    WindowOpener(int argc, char** argv, std::stop_token stop)
        : m_argc(argc), m_argv(argv), m_stop(std::move(stop)) {}

    struct Request {
        std::filesystem::path store;
        std::string cluster = {};              ///< profile to connect to at once
        ui::Page page = ui::Page::Runs;        ///< to open with
        bool lastPage = false;                 ///< the page that was left instead
        std::vector<std::string> runIds = {};  ///< that the page shows
        bool isLogLevelChosen = false;
    };
    /// Returns the exit status once the window was closed.
    int open(const Request& request) const;

private:
    int m_argc;
    char** m_argv;
    std::stop_token m_stop;
};

/// Whether a window can be opened: of X11, of Wayland, or of a platform that the user chose for Qt.
bool hasDisplay();

}  // namespace dailies::app
