#include "app/commands/command.h"
#include "app/terminal/print_json.h"
#include "app/terminal/table.h"
#include "core/base/file_kind.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/quality/clip_checks.h"

#include <iostream>

namespace dailies::app {

namespace {

struct CheckOptions {
    std::vector<std::string> clips;
    std::string format;
};

std::string framesText(const quality::Finding& finding) {
    const std::string first = std::to_string(finding.firstFrame + 1);
    return finding.firstFrame == finding.lastFrame ? first
                                                   : first + "-" + std::to_string(finding.lastFrame + 1);
}

std::string severityText(quality::Severity severity) {
    return severity == quality::Severity::Failure ? "failure" : "warning";
}

int checkClips(const CheckOptions& options, const std::stop_token& stop) {
    for (const std::string& clip : options.clips) requireFile(clip, "Give the clips' video files.");
    Table table({"clip", "frames", "check", "severity", "what"});
    Json all = Json::array();
    bool failed = false, found = false;
    for (const std::string& clip : options.clips) {
        Json findings = Json::array();
        for (const quality::Finding& finding : quality::checkClip(clip, stop)) {
            found = true;
            failed = failed || finding.severity == quality::Severity::Failure;
            const std::string check(toText(finding.check)), severity = severityText(finding.severity);
            table.add({clip, framesText(finding), check, severity, finding.text});
            findings.push_back({{"check", check},
                                {"severity", severity},
                                {"first_frame", finding.firstFrame + 1},
                                {"last_frame", finding.lastFrame + 1},
                                {"text", finding.text}});
        }
        all.push_back({{"clip", clip}, {"findings", std::move(findings)}});
    }
    if (options.format == "json")
        printJson(all);
    else if (found)
        table.print(std::cout);
    else
        std::cout << "Nothing was found in " << options.clips.size()
                  << (options.clips.size() == 1 ? " clip.\n" : " clips.\n");
    return failed ? 1 : 0;
}

}  // namespace

void addCheckCommand(CLI::App& app, Context& context) {
    auto options = std::make_shared<CheckOptions>();
    auto* command = app.add_subcommand("check",
                                       "Look for frozen, black, saturated, noisy, flickering, cut and seamed "
                                       "frames in clips, counted from 1; "
                                       "exit status 1 when one failed");
    command->add_option("clips", options->clips, "Video files")->required()->type_name("CLIP…");
    addFormatOption(*command, options->format, {"table", "json"});
    command->callback([options, &context] {
        context.action = [options, &context] { return checkClips(*options, context.stop); };
    });
}

}  // namespace dailies::app
