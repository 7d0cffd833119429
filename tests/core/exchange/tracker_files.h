#pragma once

#include "core/sources/tfrecord.h"

#include <cstdint>
#include <functional>
#include <map>
#include <proto/tensorboard_event.pb.h>
#include <proto/wandb_record.pb.h>
#include <string>
#include <string_view>
#include <zlib.h>

// Files as other trackers write them, made apart from their readers.
namespace dailies::exchange {

using sources::crc32c;
namespace tensorboard = sources::tensorboard;
namespace wandb = sources::wandb;

inline std::string eventRecord(const std::string& data) {
    const auto bytes = [](auto number) {
        return std::string(reinterpret_cast<const char*>(&number), sizeof number);
    };
    const auto masked = [](std::string_view text) {
        const auto crc = crc32c(text);
        return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U;
    };
    const auto length = bytes(static_cast<std::uint64_t>(data.size()));
    return length + bytes(masked(length)) + data + bytes(masked(data));
}

inline std::string event(std::int64_t step, const std::function<void(tensorboard::Event&)>& fill) {
    tensorboard::Event message;
    message.set_wall_time(1'700'000'000.0 + static_cast<double>(step));
    message.set_step(step);
    fill(message);
    return eventRecord(message.SerializeAsString());
}

inline std::string scalarEvent(std::int64_t step, const std::string& tag, float value) {
    return event(step, [&](tensorboard::Event& message) {
        auto* entry = message.mutable_summary()->add_value();
        entry->set_tag(tag);
        entry->set_simple_value(value);
    });
}

/// One pixel, once black and once white.
inline std::string movingGif() {
    using namespace std::string_literals;
    const auto frame =
        "\x21\xF9\x04\x00\x19\x00\x00\x00\x2C\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"s;
    auto other = frame;
    other[20] = '\x4C';
    return "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF"s + frame + other + ";";
}

/// What `SummaryWriter.add_video` writes: an image whose bytes are a GIF.
inline std::string videoEvent(std::int64_t step, const std::string& tag, const std::string& gif) {
    return event(step, [&](tensorboard::Event& message) {
        tensorboard::Image image;
        image.set_encoded_image_string(gif);
        auto* entry = message.mutable_summary()->add_value();
        entry->set_tag(tag);
        entry->set_image(image.SerializeAsString());
    });
}

/// LevelDB's log format as W&B has it, written apart from the reader.
class WandbFile {
public:
    void add(const wandb::Record& record) {
        std::string data = record.SerializeAsString();
        bool first = true;
        do {
            const auto left = 32'768 - m_bytes.size() % 32'768;
            if (left < 7) {
                m_bytes.append(left, '\0');
                continue;
            }
            const auto chunk = data.substr(0, left - 7);
            data.erase(0, chunk.size());
            const bool last = data.empty();
            const char type = first ? (last ? 1 : 2) : (last ? 4 : 3);
            const auto checked = type + chunk;
            const auto crc = static_cast<std::uint32_t>(
                crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
            const auto length = static_cast<std::uint16_t>(chunk.size());
            m_bytes.append(reinterpret_cast<const char*>(&crc), 4);
            m_bytes.append(reinterpret_cast<const char*>(&length), 2);
            m_bytes += checked;
            first = false;
        } while (!data.empty());
    }

    void addRun(const std::string& id, const std::string& project) {
        wandb::Record record;
        record.mutable_run()->set_run_id(id);
        record.mutable_run()->set_project(project);
        record.mutable_run()->mutable_start_time()->set_seconds(1'700'000'000);
        add(record);
    }

    void addRow(std::int64_t step, const std::string& json) {
        wandb::Record record;
        auto* item = record.mutable_history()->add_item();
        item->add_nested_key("loss");
        item->set_value_json(json);
        record.mutable_history()->mutable_step()->set_num(step);
        add(record);
    }

    void addMetric(const std::string& name, const std::string& stepMetric) {
        wandb::Record record;
        (name.ends_with('*') ? record.mutable_metric()->mutable_glob_name()
                             : record.mutable_metric()->mutable_name())
            ->assign(name);
        record.mutable_metric()->set_step_metric(stepMetric);
        add(record);
    }

    void addValues(std::int64_t step, const std::map<std::string, double>& values) {
        wandb::Record record;
        for (const auto& [key, value] : values) {
            auto* item = record.mutable_history()->add_item();
            item->add_nested_key(key);
            item->set_value_json(std::to_string(value));
        }
        record.mutable_history()->mutable_step()->set_num(step);
        add(record);
    }

    void addExit(int code) {
        wandb::Record record;
        record.mutable_exit()->set_exit_code(code);
        add(record);
    }

    const std::string& bytes() const { return m_bytes; }

private:
    std::string m_bytes{":W&B\xE1\xBE\x00", 7};
};

}  // namespace dailies::exchange
