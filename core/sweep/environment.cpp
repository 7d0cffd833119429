#include "core/sweep/environment.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/nccl.h"

#include <algorithm>
#include <regex>

namespace dailies::sweep {

namespace {

[[noreturn]] void refuse(const std::string& key, const Json& found, const std::string& expected) {
    throw InputError(key + ": found " +
                     sanitizedText(found.dump(-1, ' ', false, Json::error_handler_t::replace)) +
                     ", expected " + expected + ".");
}

/// Text that can stand on one line of a script and begins no option of the program that takes it.
bool isWordOnALine(const std::string& text) {
    return !text.starts_with('-') && std::ranges::none_of(text, [](unsigned char c) { return c < ' '; });
}

std::string textOf(const std::string& key, const Json& value, const std::string& expected) {
    if (!value.is_string() || !isWordOnALine(value.get<std::string>())) refuse(key, value, expected);
    return std::string(trim(value.get<std::string>()));
}

std::vector<std::string> listOf(const std::string& key, const Json& value, const std::string& expected) {
    if (!value.is_array()) refuse(key, value, expected);
    std::vector<std::string> list;
    for (const auto& item : value)
        if (std::string text = textOf(key, item, expected); !text.empty()) list.push_back(std::move(text));
    return list;
}

/// The folders of a mount are absolute, and a comma or a further colon would begin another.
bool isMount(const std::string& text) {
    static const std::regex pattern(R"(/[^:,]*(:/[^:,]*(:(ro|rw))?)?)");
    return std::regex_match(text, pattern);
}

Container containerOf(const Json& value) {
    Container container;
    if (value.is_string()) {
        container.image = textOf("container", value, "an image");
        return container;
    }
    if (!value.is_object()) refuse("container", value, "an image, or image, runtime and mounts");
    for (const auto& [key, item] : value.items()) {
        if (key == "image") {
            container.image = textOf("container.image", item, "an image");
        } else if (key == "runtime") {
            container.runtime = textOf("container.runtime", item, "a word");
            if (!container.runtime.empty() &&
                std::ranges::find(containerRuntimes(), container.runtime) == containerRuntimes().end())
                refuse("container.runtime", item, "one of: " + join(containerRuntimes(), ", "));
        } else if (key == "mounts") {
            constexpr const char* kExpected =
                "a list of folders as /there, /there:/inside or /there:/inside:ro";
            container.mounts = listOf("container.mounts", item, kExpected);
            for (const auto& mount : container.mounts)
                if (!isMount(mount)) refuse("container.mounts", mount, kExpected);
        } else {
            throw InputError("container." + sanitizedText(key) +
                             ": no such key; expected one of: image, runtime, mounts.");
        }
    }
    if (container.image.empty() && !(container == Container()))
        throw InputError("container.image: found nothing, expected an image.");
    return container;
}

std::map<std::string, std::string> variablesOf(const Json& value) {
    static const std::regex name(R"([A-Za-z_][A-Za-z0-9_]*)");
    if (!value.is_object()) refuse("variables", value, "a mapping such as {NCCL_DEBUG: INFO}");
    std::map<std::string, std::string> variables;
    for (const auto& [key, item] : value.items()) {
        if (!std::regex_match(key, name))
            refuse("variables", key, "names of letters, digits and _ that begin with no digit");
        if (item.is_structured() || item.is_null()) refuse("variables." + key, item, "a text or a number");
        const std::string text = item.is_string() ? item.get<std::string>() : item.dump();
        if (text.find('\0') != std::string::npos) refuse("variables." + key, item, "a text");
        variables[key] = text;
    }
    return variables;
}

}  // namespace

const std::vector<std::string>& containerRuntimes() {
    static const std::vector<std::string> runtimes = {"apptainer", "singularity", "pyxis"};
    return runtimes;
}

const std::vector<std::string>& environmentKeys() {
    static const std::vector<std::string> keys = {"modules",   "venv",   "conda",
                                                  "container", "fabric", "variables"};
    return keys;
}

void setKey(Environment& environment, const std::string& key, const Json& value) {
    if (key == "modules") {
        environment.modules = value.is_string() ? std::vector{textOf(key, value, "a module")}
                                                : listOf(key, value, "a list of modules such as cuda/12.4");
    } else if (key == "venv") {
        environment.venv = textOf(key, value, "the folder of a Python environment");
    } else if (key == "conda") {
        environment.conda = textOf(key, value, "the name or folder of a conda environment");
    } else if (key == "container") {
        environment.container = containerOf(value);
    } else if (key == "fabric") {
        environment.fabric = textOf(key, value, "a word");
        if (!environment.fabric.empty() && !findFabric(environment.fabric))
            refuse(key, value, "one of: " + join(fabricNames(), ", "));
    } else if (key == "variables") {
        environment.variables = variablesOf(value);
    } else {
        const auto suggestion = nearestWord(key, environmentKeys());
        throw InputError(sanitizedText(key) + ": no such key; " +
                         (suggestion.empty() ? "expected one of: " + join(environmentKeys(), ", ") + "."
                                             : "did you mean " + suggestion + "?"));
    }
    if (!environment.venv.empty() && !environment.conda.empty())
        throw InputError("venv: found one beside conda, expected one of the two.");
}

Environment environmentFromJson(const Json& json) {
    if (!json.is_object()) refuse("environment", json, "an object with: " + join(environmentKeys(), ", "));
    Environment environment;
    for (const auto& [key, value] : json.items()) setKey(environment, key, value);
    return environment;
}

Json toJson(const Environment& environment) {
    Json json = Json::object();
    if (!environment.modules.empty()) json["modules"] = environment.modules;
    if (!environment.venv.empty()) json["venv"] = environment.venv;
    if (!environment.conda.empty()) json["conda"] = environment.conda;
    if (const auto& container = environment.container; !container.image.empty()) {
        json["container"]["image"] = container.image;
        if (!container.runtime.empty()) json["container"]["runtime"] = container.runtime;
        if (!container.mounts.empty()) json["container"]["mounts"] = container.mounts;
    }
    if (!environment.fabric.empty()) json["fabric"] = environment.fabric;
    if (!environment.variables.empty()) json["variables"] = environment.variables;
    return json;
}

Environment overlay(const Environment& ours, const Environment& site) {
    Environment both = site;
    if (!ours.modules.empty()) both.modules = ours.modules;
    if (!ours.venv.empty() || !ours.conda.empty()) {
        both.venv = ours.venv;
        both.conda = ours.conda;
    }
    if (!ours.container.image.empty()) both.container = ours.container;
    if (!ours.fabric.empty()) both.fabric = ours.fabric;
    for (const auto& [name, value] : ours.variables) both.variables[name] = value;
    return both;
}

bool sameSoftware(const Environment& a, const Environment& b) {
    return a.modules == b.modules && a.venv == b.venv && a.conda == b.conda && a.container == b.container;
}

}  // namespace dailies::sweep
