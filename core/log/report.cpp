#include "core/log/report.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/log/log.h"
#include "core/log/redactor.h"

namespace dailies::log {

std::string reportText(const std::string& facts, const LogFile& file, std::size_t lines) {
    std::string text =
        facts + "\nLog at level " + std::string(nameOf(level())) + ": " + file.path.string() + "\n\n";
    try {
        const Redactor redact;
        for (const auto& line : split(lastLines(file, lines), '\n'))
            if (!line.empty()) text += redact(line) + "\n";
    } catch (const Error& error) {
        text += error.full() + "\n";
    }
    return sanitizedText(text);
}

}  // namespace dailies::log
