#include "core/objects/s3_access.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/http/http_connection.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

namespace dailies::objects {

namespace {

namespace fs = std::filesystem;

using Settings = std::map<std::string, std::string>;

/// The settings of a section of one of AWS's files; nullopt where it has none of that name.
std::optional<Settings> sectionOf(const fs::path& file, const std::string& section) {
    std::error_code unknown;
    if (!fs::is_regular_file(file, unknown)) return std::nullopt;
    std::istringstream lines(readFile(file));
    std::optional<Settings> found;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        const bool indented = !line.empty() && (line[0] == ' ' || line[0] == '\t');  // of a nested setting
        const auto text = trim(line);
        if (text.empty() || text[0] == '#' || text[0] == ';') continue;
        if (text.front() == '[') {
            inside = trim(text.substr(1, text.find(']') - 1)) == section;
            if (inside && !found) found.emplace();
            continue;
        }
        const auto equals = text.find('=');
        if (inside && !indented && equals != std::string::npos)
            (*found)[lowered(trim(text.substr(0, equals)))] = trim(text.substr(equals + 1));
    }
    return found;
}

}  // namespace

Environment processEnvironment() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value ? std::optional<std::string>(value) : std::nullopt;
    };
}

S3Access s3Access(const Environment& environment) {
    const auto home = fs::path(environment("HOME").value_or("")) / ".aws";
    const auto named = environment("AWS_PROFILE");
    const auto profile = named.value_or("default");
    const auto fileOf = [&](const char* variable, const char* name) {
        const auto moved = environment(variable);
        return moved ? fs::path(*moved) : home / name;
    };
    const auto secrets = sectionOf(fileOf("AWS_SHARED_CREDENTIALS_FILE", "credentials"), profile);
    const auto config =
        sectionOf(fileOf("AWS_CONFIG_FILE", "config"), profile == "default" ? profile : "profile " + profile);
    if (named && !secrets && !config)
        throw InputError("AWS_PROFILE: found " + sanitizedText(*named) +
                             ", which neither ~/.aws/credentials nor ~/.aws/config of this machine has.",
                         "Name a profile that the cluster's nodes have, or set AWS_ACCESS_KEY_ID and "
                         "AWS_SECRET_ACCESS_KEY in the job's environment.");
    auto settings = config.value_or(Settings());
    for (const auto& [key, value] : secrets.value_or(Settings())) settings[key] = value;
    const auto setting = [&](std::initializer_list<const char*> variables, const char* key) {
        for (const char* variable : variables)
            if (auto value = environment(variable); value && !value->empty()) return *value;
        const auto found = settings.find(key);
        return found == settings.end() ? std::string() : found->second;
    };
    S3Access access;
    access.endpoint = setting({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, "endpoint_url");
    while (access.endpoint.ends_with('/')) access.endpoint.pop_back();
    if (auto region = setting({"AWS_REGION", "AWS_DEFAULT_REGION"}, "region"); !region.empty())
        access.region = std::move(region);
    // keys of the environment come without the profile's token
    const bool fromEnvironment = environment("AWS_ACCESS_KEY_ID").has_value() && !named;
    if (fromEnvironment) settings.clear();
    access.keyId = setting({"AWS_ACCESS_KEY_ID"}, "aws_access_key_id");
    access.secret = setting({"AWS_SECRET_ACCESS_KEY"}, "aws_secret_access_key");
    access.sessionToken = setting({"AWS_SESSION_TOKEN"}, "aws_session_token");
    return access;
}

std::string s3Url(const S3Access& access, const std::string& bucket, const std::string& key) {
    const auto path = "/" + http::urlEncodedPath(key);
    if (!access.endpoint.empty()) return access.endpoint + "/" + bucket + path;
    if (bucket.find('.') != std::string::npos)
        return "https://s3." + access.region + ".amazonaws.com/" + bucket + path;
    return "https://" + bucket + ".s3." + access.region + ".amazonaws.com" + path;
}

}  // namespace dailies::objects
