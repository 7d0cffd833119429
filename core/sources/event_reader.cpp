#include "core/sources/event_reader.h"

#include "core/base/text.h"
#include "core/sources/tensor_value.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <proto/tensorboard_event.pb.h>

namespace dailies::sources {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // protobuf's own limit is 2 GiB
constexpr std::size_t kMostPlugins = 1'000;               // they travel in a file's cursor

std::int64_t toMillis(double seconds) {
    return std::isfinite(seconds) && std::fabs(seconds) < 1e15 ? std::llround(seconds * 1000.0) : 0;
}

/// In a cursor, which is text.
bool canTravel(const std::string& name) {
    constexpr std::size_t kLongest = 250;
    return name.size() <= kLongest && sanitizedText(name) == name;
}

std::string textOf(const tensorboard::HParam& value) {
    switch (value.kind_case()) {
        case tensorboard::HParam::kNumberValue:
            return shortNumber(value.number_value());
        case tensorboard::HParam::kStringValue:
            return value.string_value();
        case tensorboard::HParam::kBoolValue:
            return value.bool_value() ? "True" : "False";
        default:
            return "None";
    }
}

bool isGif(std::string_view bytes) {
    return bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a");
}

/// A folder's name: "val/video" is "val~video".
std::string folderNameOf(const std::string& tag) {
    std::string name;
    for (const char c : tag.substr(0, 100)) {
        const bool isPlain = std::isalnum(static_cast<unsigned char>(c)) || std::strchr("-_+=", c) != nullptr;
        name += c == '/' ? '~' : isPlain && c != '\0' ? c : '_';
    }
    return name.empty() ? "video" : name;
}

/// A picture that moves is a clip; it lies in the event file itself. One of the same step is the same one
/// made again.
void addVideo(const tensorboard::Event& event, const std::string& tag, std::int64_t number, std::string gif,
              Collector& into) {
    const std::string digits = std::to_string(std::max<std::int64_t>(event.step(), 0));
    const std::string padded = std::string(9 - std::min<std::size_t>(digits.size(), 9), '0') + digits;
    into.media({.key = tag,
                .path = folderNameOf(tag) + "/step-" + padded +
                        (number > 0 ? "-" + std::to_string(number) : "") + ".gif",
                .caption = tag,
                .type = "image/gif",
                .step = event.step(),
                .timestampMs = toMillis(event.wall_time()),
                .seed = number,
                .bytes = std::move(gif)});
}

void onImage(const tensorboard::Event& event, const tensorboard::Summary::Value& value, Collector& into) {
    tensorboard::Image image;
    if (image.ParseFromString(value.image()) && isGif(image.encoded_image_string()))
        return addVideo(event, value.tag(), 0, std::move(*image.mutable_encoded_image_string()), into);
    into.unread("images");
}

/// TensorFlow 2 has a width, a height and the pictures as texts of a tensor.
void onImages(const tensorboard::Event& event, const tensorboard::Summary::Value& value, Collector& into) {
    constexpr int kSizes = 2;
    const auto& texts = value.tensor().string_val();
    for (int i = kSizes; i < texts.size(); ++i)
        if (isGif(texts[i])) addVideo(event, value.tag(), i - kSizes, texts[i], into);
    if (texts.size() <= kSizes || !isGif(texts[kSizes])) into.unread("images");
}

void onText(const std::string& tag, const tensorboard::Tensor& tensor, Collector& into) {
    if (tensor.string_val().empty()) return;
    // PyTorch's writer adds the plugin's own name to what the author called it
    constexpr std::string_view kSuffix = "/text_summary";
    const std::string name = tag.ends_with(kSuffix) ? tag.substr(0, tag.size() - kSuffix.size()) : tag;
    into.tag(name, tensor.string_val(0));  // the last one said
}

}  // namespace

bool EventReader::read(std::string_view record, Collector& into) {
    tensorboard::Event event;
    if (record.size() > kMostBytes || !event.ParseFromArray(record.data(), static_cast<int>(record.size())))
        return false;
    if (!m_any) m_firstTime = event.wall_time();
    m_any = true;
    m_lastTime = std::max(m_lastTime, event.wall_time());
    if (event.session_log().status() == tensorboard::SessionLog::START) into.voidFrom(event.step());
    for (int i = 0; i < event.summary().value_size(); ++i) on(event, i, into);
    return true;
}

void EventReader::on(const tensorboard::Event& event, int valueIndex, Collector& into) {
    const auto& value = event.summary().value(valueIndex);
    if (value.tag().starts_with("_hparams_/")) return onHParams(value.metadata().plugin().content(), into);
    const auto addPoint = [&](double number) {
        into.point(value.tag(), {event.step(), toMillis(event.wall_time()), number});
    };
    switch (value.value_case()) {
        case tensorboard::Summary::Value::kSimpleValue:
            return addPoint(static_cast<double>(value.simple_value()));
        case tensorboard::Summary::Value::kImage:
            return onImage(event, value, into);
        case tensorboard::Summary::Value::kHistogram:
            return into.unread("histograms");
        case tensorboard::Summary::Value::kAudio:
            return into.unread("sounds");
        case tensorboard::Summary::Value::VALUE_NOT_SET:
            return;
        case tensorboard::Summary::Value::kTensor:
            break;
    }
    std::string plugin = value.metadata().plugin().name();
    if (const auto known = m_plugins.find(value.tag()); plugin.empty() && known != m_plugins.end())
        plugin = known->second;
    else if (!plugin.empty() && plugin != "scalars" && m_plugins.size() < kMostPlugins &&
             canTravel(value.tag()) && canTravel(plugin))
        m_plugins[value.tag()] = plugin;
    if (plugin == "images") return onImages(event, value, into);
    if (plugin == "text") return onText(value.tag(), value.tensor(), into);
    if (plugin.empty() || plugin == "scalars")
        if (const auto number = scalarOf(value.tensor())) return addPoint(*number);
    into.unread(plugin.empty() ? "tensors" : plugin);
}

void EventReader::onHParams(const std::string& content, Collector& into) {
    tensorboard::HParamsData data;
    if (!data.ParseFromString(content)) return;
    m_session.started |= data.has_session_start();
    m_session.ended |= data.has_session_end();
    for (const auto& [key, value] : data.session_start().hparams()) into.param(key, textOf(value));
    if (data.has_session_start() && data.session_start().start_time() > 0)
        m_session.start = data.session_start().start_time();
    if (data.has_session_end()) {
        m_session.end = data.session_end().end_time();
        m_session.failed = data.session_end().status() == 2;
    }
}

}  // namespace dailies::sources
