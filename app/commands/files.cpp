#include "app/commands/command.h"
#include "app/terminal/cluster_connection.h"
#include "app/terminal/print_json.h"
#include "app/terminal/progress_line.h"
#include "app/terminal/table.h"
#include "app/terminal/terminal_prompter.h"
#include "core/base/error.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "core/digest/sha256.h"
#include "remote/cluster/cluster.h"
#include "remote/cluster/remote_folder.h"
#include "remote/ssh/session_error.h"

#include <array>
#include <ctime>
#include <filesystem>
#include <iostream>

namespace dailies::app {

namespace {

namespace fs = std::filesystem;
using remote::RemoteItem;
using remote::ssh::Session;

struct FilesOptions {
    std::string cluster, path, format;
    fs::path local;
    bool all = false;
};

/// Files need no Slurm and no workspace.
std::unique_ptr<Session> openSession(const std::string& cluster, std::stop_token stop) {
    TerminalPrompter prompter(stop);
    return std::make_unique<Session>(remote::endpointOf(chooseProfile(cluster)), prompter, stop);
}

std::string timeText(std::int64_t seconds) {
    const std::time_t time = seconds;
    std::tm local{};
    ::localtime_r(&time, &local);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local);
    return text.data();
}

const char* wordFor(RemoteItem::Kind kind) {
    return kind == RemoteItem::Kind::Folder ? "folder" : kind == RemoteItem::Kind::File ? "file" : "other";
}

int list(const FilesOptions& options, std::stop_token stop) {
    const auto session = openSession(options.cluster, stop);
    const auto folder = remote::browse(*session, options.path, stop);
    if (options.format == "json") {
        Json items = Json::array();
        for (const auto& item : folder.items)
            if (options.all || !item.name.starts_with('.'))
                items.push_back({{"name", item.name},
                                 {"kind", wordFor(item.kind)},
                                 {"bytes", item.size},
                                 {"modified", item.modified},
                                 {"hint", item.hint}});
        const Json document{{"path", folder.path},
                            {"hint", folder.hint},
                            {"complete", folder.complete},
                            {"items", std::move(items)}};
        printJson(document);
        return 0;
    }
    Table table({"name", "size", "modified", "holds"});
    for (const auto& item : folder.items) {
        if (!options.all && item.name.starts_with('.')) continue;
        const bool isFile = item.kind == RemoteItem::Kind::File;
        table.add({remote::printableName(item.name) + (item.kind == RemoteItem::Kind::Folder ? "/" : ""),
                   isFile ? sizeText(item.size) : "-", timeText(item.modified), item.hint});
    }
    table.print(std::cout);
    std::cerr << sanitizedText(folder.path) << (folder.hint.empty() ? "" : ": " + sanitizedText(folder.hint))
              << (folder.complete ? "" : "; the rest of its entries is not shown") << '\n';
    return 0;
}

Session::TransferProgress show(ProgressLine& line) {
    return [&line](std::uint64_t done, std::uint64_t total) {
        line.show(sizeText(done) + " of " + sizeText(total) +
                  (total > 0 ? ", " + std::to_string(done * 100 / total) + " %" : ""));
    };
}

std::string lastPart(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

/// What an interrupted copy leaves is of use to the next one; that is worth knowing when it is interrupted.
template <typename Copy>
void withResumeHint(Copy copy) {
    try {
        copy();
    } catch (const Cancelled&) {
        std::cerr << "The partial transfer is kept: run the same command again to resume.\n";
        throw;
    }
}

/// A folder appears under its name when all of it has come, so that a copy that goes on finds the same name
/// free; into a folder that is there its files come one by one.
void getFolder(Session& session, const std::string& path, const fs::path& local, const FilesOptions& options,
               std::stop_token stop) {
    fs::path waiting = local;
    std::error_code unseen;
    if (!fs::exists(local, unseen)) {
        Sha256 source;
        source.add(options.cluster + "\n" + path);
        waiting += "." + source.hex(12) + ".part";
    }
    try {
        ProgressLine line;
        session.downloadFolder(path, waiting, stop, show(line));
    } catch (const remote::ssh::SessionError& error) {
        if (error.failure() != remote::ssh::Failure::Remote || !fs::exists(waiting, unseen)) throw;
        throw Error(error.what(), "What could be copied is in " + waiting.string() + ".");
    }
    std::error_code failure;
    fs::create_directories(waiting, failure);  // of a folder without files
    if (!failure && waiting != local) fs::rename(waiting, local, failure);
    if (failure)
        throw Error("Cannot make the folder " + local.string() + ": " + failure.message() + ".",
                    "Choose a folder that you may write to.");
}

int get(const FilesOptions& options, std::stop_token stop) {
    const auto session = openSession(options.cluster, stop);
    auto path = remote::resolveRemotePath(*session, options.path, stop);
    while (path.ends_with('/')) path.pop_back();
    if (path.empty())
        throw InputError(
            "Copying the whole file system of cluster '" + options.cluster + "' is not supported.",
            "Name a file or a folder.");
    const auto stat = session->stat(path);
    if (!stat)
        throw Error("There is no " + sanitizedText(path) + " on cluster '" + options.cluster + "'.",
                    "`dailies files ls " + options.cluster + " FOLDER` lists a folder.");
    fs::path local = options.local;
    if (std::error_code unseen; fs::is_directory(local, unseen) || local.filename().empty())
        local /= lastPart(path);
    withResumeHint([&] {
        if (stat->isFolder) return getFolder(*session, path, local, options, stop);
        ProgressLine line;
        session->download(path, local, stop, show(line));
    });
    std::cout << local.string() << '\n';
    return 0;
}

/// Only files are copied: what else there is must not be missed later on.
void warnAboutSkippedFiles(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code failure;
    for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        std::error_code broken;
        const auto& entry = *at;
        if (!entry.is_regular_file(broken) && (entry.is_symlink(broken) || !entry.is_directory(broken)))
            names.push_back(remote::printableName(entry.path().lexically_relative(folder).string()));
    }
    if (names.empty()) return;
    constexpr std::size_t kNamed = 5;
    const auto count = names.size();
    if (count > kNamed) names.resize(kNamed);
    std::cerr << "Left out, being neither a file nor a folder itself: " << join(names, ", ")
              << (count > kNamed ? " and " + std::to_string(count - kNamed) + " more" : "") << '\n';
}

/// Also of "." and of "folder/".
std::string nameOf(const fs::path& local) {
    const auto whole = fs::absolute(local).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

int put(const FilesOptions& options, std::stop_token stop) {
    std::error_code unreadable;
    const auto kind = fs::status(options.local, unreadable).type();
    if (kind == fs::file_type::not_found || kind == fs::file_type::none)
        throw InputError("There is no " + options.local.string() + " on this machine, or you may not see it.",
                         "Give a file, or the folder of a dataset.");
    const bool isFolder = kind == fs::file_type::directory;
    if (!isFolder && kind != fs::file_type::regular)
        throw InputError(options.local.string() + " is neither a file nor a folder.",
                         "Give a file, or the folder of a dataset.");
    const auto session = openSession(options.cluster, stop);
    auto path = remote::resolveRemotePath(*session, options.path, stop);
    const auto there = isFolder ? std::nullopt : session->stat(path);
    if (path.ends_with('/') || (there && there->isFolder))
        path += (path.ends_with('/') ? "" : "/") + nameOf(options.local);
    withResumeHint([&] {
        ProgressLine line;
        if (isFolder)
            session->uploadFolder(options.local, path, stop, show(line));
        else
            session->upload(options.local, path, 0644, stop, show(line));
    });
    if (isFolder) warnAboutSkippedFiles(options.local);
    std::cout << sanitizedText(path) << '\n';
    return 0;
}

/// What all three have in common.
CLI::App* addVerb(CLI::App& files, const char* name, const char* help,
                  const std::shared_ptr<FilesOptions>& options, Context& context,
                  int (*action)(const FilesOptions&, std::stop_token)) {
    auto* command = files.add_subcommand(name, help);
    command->add_option("cluster", options->cluster, "Cluster")->required();
    command->callback([options, action, &context] {
        context.action = [options, action, &context] { return action(*options, context.stop); };
    });
    return command;
}

}  // namespace

void addFilesCommand(CLI::App& app, Context& context) {
    auto* files = app.add_subcommand(
        "files", "Files on a cluster: look for datasets, copy files and folders both ways");
    files->require_subcommand(1);
    constexpr const char* kPath = "Path there: absolute, or below your home folder";

    auto listed = std::make_shared<FilesOptions>();
    auto* listCommand =
        addVerb(*files, "ls", "List a folder, and what data its folders hold", listed, context, list);
    listCommand->add_option("path", listed->path, kPath);
    listCommand->add_flag("--all", listed->all, "With names that begin with a dot");
    addFormatOption(*listCommand, listed->format, {"table", "json"});

    auto got = std::make_shared<FilesOptions>();
    got->local = ".";
    auto* getCommand = addVerb(
        *files, "get", "Copy a file or a folder here, compared by hash; goes on where it was broken off", got,
        context, get);
    getCommand->add_option("path", got->path, kPath)->required();
    getCommand->add_option("to", got->local,
                           "Name here, or a folder that is there, to put it into; default: this folder");

    auto sent = std::make_shared<FilesOptions>();
    auto* putCommand = addVerb(*files, "put",
                               "Copy a file or a folder there, compared by hash; goes on where it was broken "
                               "off. A folder appears when "
                               "all of it has come",
                               sent, context, put);
    putCommand->add_option("local", sent->local, "File or folder on this machine")->required();
    putCommand
        ->add_option("path", sent->path,
                     "Its name there: absolute, or below your home folder; with / at its end, the folder to "
                     "put it into")
        ->required();
}

}  // namespace dailies::app
