#include "trainer/serialization/torch_zip.h"

#include "core/base/error.h"
#include "trainer/serialization/zip_directory.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <unordered_map>

// The opcodes are those of Python's pickletools; what torch.save writes with them stands in
// torch/serialization.py and torch/_utils.py (_rebuild_tensor_v2).

namespace dailies::trainer {

namespace {

constexpr std::uint64_t kLongestPickle = 16'000'000;  // 1,300 tensors take 0.2 MB
constexpr std::size_t kMostValues = 4'000'000, kMostTensors = 200'000;
constexpr std::size_t kMostAxes = 16, kLongestKey = 100;
constexpr int kDeepest = 4;  // dictionaries within dictionaries

constexpr std::pair<std::string_view, std::string_view> kStorages[] = {
    {"FloatStorage", "F32"}, {"BFloat16Storage", "BF16"}, {"HalfStorage", "F16"},  {"DoubleStorage", "F64"},
    {"LongStorage", "I64"},  {"IntStorage", "I32"},       {"ShortStorage", "I16"}, {"CharStorage", "I8"},
    {"ByteStorage", "U8"},   {"BoolStorage", "BOOL"},
};

enum class Kind { other, integer, text, mark, function, tuple, list, dictionary, storage, tensor };

/// Containers and strings are owned by the reader: an index stands for them, so that values which hold one
/// another, even themselves, are no burden.
struct Value {
    Kind kind = Kind::other;
    std::int64_t number = 0;  ///< of an integer
    std::size_t index = 0;    ///< of what the reader owns
};

struct Storage {
    std::string type, key;
    std::int64_t elements = 0;
};

struct Tensor {
    Storage storage;
    std::int64_t offset = 0;
    std::vector<std::int64_t> shape, strides;
};

class PickleReader {
public:
    explicit PickleReader(const std::string& bytes) : m_bytes(bytes) {}

    /// The value that the pickle stands for.
    Value read() {
        while (true) {
            const auto code = static_cast<unsigned char>(take(1)[0]);
            if (code == '.') return pop();
            step(code);
            if (m_stack.size() + m_items.size() > kMostValues) throw InputError("its pickle is too long");
        }
    }

    /// The tensors below a value, their keys joined by dots.
    void collect(const Value& value, const std::string& name, int depth,
                 std::vector<std::pair<std::string, Tensor>>& tensors) {
        if (++m_visited > kMostValues) throw InputError("its dictionaries are too many");
        if (value.kind == Kind::tensor) {
            if (tensors.size() == kMostTensors) throw InputError("it has too many tensors");
            tensors.emplace_back(name, m_tensors[value.index]);
        }
        if (value.kind != Kind::dictionary || depth > kDeepest) return;
        const auto& items = m_items[value.index];
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            if (items[i].kind != Kind::text) continue;
            const auto& key = m_texts[items[i].index];
            collect(items[i + 1], name.empty() ? key : name + "." + key, depth + 1, tensors);
        }
    }

private:
    std::string_view take(std::uint64_t count) {
        if (count > m_bytes.size() - m_at) throw InputError("its pickle ends too early");
        m_at += count;
        return std::string_view(m_bytes).substr(m_at - count, count);
    }
    template <class T>
    T number() {
        T value{};
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    std::string line() {
        const auto end = m_bytes.find('\n', m_at);
        if (end == std::string::npos) throw InputError("its pickle ends too early");
        const auto text = std::string(take(end - m_at));
        take(1);
        return text;
    }

    void push(Value value) { m_stack.push_back(value); }
    Value pop() {
        if (m_stack.empty() || m_stack.back().kind == Kind::mark) throw InputError("its pickle is damaged");
        const auto value = m_stack.back();
        m_stack.pop_back();
        return value;
    }
    Value& top() {
        if (m_stack.empty()) throw InputError("its pickle is damaged");
        return m_stack.back();
    }
    std::vector<Value> popToMark() {
        std::vector<Value> values;
        while (!m_stack.empty() && m_stack.back().kind != Kind::mark) values.push_back(pop());
        if (m_stack.empty()) throw InputError("its pickle is damaged");
        m_stack.pop_back();
        std::ranges::reverse(values);
        return values;
    }

    Value text(std::string_view value) {
        m_texts.emplace_back(value);
        return {Kind::text, 0, m_texts.size() - 1};
    }
    Value container(Kind kind, std::vector<Value> items = {}) {
        m_items.push_back(std::move(items));
        return {kind, 0, m_items.size() - 1};
    }
    Value tuple(std::size_t count) {
        std::vector<Value> items;
        for (std::size_t i = 0; i < count; ++i) items.push_back(pop());
        std::ranges::reverse(items);
        return container(Kind::tuple, std::move(items));
    }
    /// Puts values into the container on top of the stack.
    void extend(Kind kind, const std::vector<Value>& values) {
        if (top().kind != kind || (kind == Kind::dictionary && values.size() % 2 != 0))
            throw InputError("its pickle is damaged");
        auto& items = m_items[top().index];
        items.insert(items.end(), values.begin(), values.end());
        m_added += values.size();
        if (m_added > kMostValues) throw InputError("its pickle is too long");
    }
    void remember(std::uint64_t place) { m_memo[place] = top(); }
    void recall(std::uint64_t place) {
        const auto found = m_memo.find(place);
        if (found == m_memo.end()) throw InputError("its pickle is damaged");
        push(found->second);
    }

    /// The only functions that may be named.
    Value function(const std::string& module, const std::string& name) {
        const bool known =
            (module == "collections" && name == "OrderedDict") ||
            (module == "torch._utils" && (name == "_rebuild_tensor_v2" || name == "_rebuild_parameter")) ||
            (module == "torch" &&
             std::ranges::any_of(kStorages, [&](const auto& each) { return each.first == name; }));
        if (!known)
            throw InputError("it names " + module + "." + name +
                                 ", which a file of weights does not need and which may run code",
                             "Do not open it with Python; ask its author for a .safetensors file.");
        auto value = text(name);
        value.kind = Kind::function;
        return value;
    }

    const std::vector<Value>& items(const Value& value, Kind kind, std::size_t least) const {
        if (value.kind != kind || m_items[value.index].size() < least)
            throw InputError("a tensor in it is described in another way than torch.save does");
        return m_items[value.index];
    }
    std::vector<std::int64_t> numbers(const Value& value) const {
        std::vector<std::int64_t> all;
        if (items(value, Kind::tuple, 0).size() > kMostAxes)
            throw InputError("a tensor in it has too many axes");
        for (const auto& each : items(value, Kind::tuple, 0)) {
            if (each.kind != Kind::integer || each.number < 0)
                throw InputError("a tensor in it has a size that is no number");
            all.push_back(each.number);
        }
        return all;
    }

    Value call(const Value& what, const Value& args) {
        if (what.kind != Kind::function) throw InputError("its pickle calls what is no function");
        const auto name = m_texts[what.index];  // a copy: the strings grow
        const auto& given = items(args, Kind::tuple, 0);
        if (name == "OrderedDict" && given.empty()) return container(Kind::dictionary);
        if (name == "_rebuild_parameter" && !given.empty() && given[0].kind == Kind::tensor) return given[0];
        if (name != "_rebuild_tensor_v2" || given.size() < 4 || given[0].kind != Kind::storage ||
            given[1].kind != Kind::integer || given[1].number < 0)
            throw InputError("its pickle calls " + name + " in another way than torch.save does");
        m_tensors.push_back(
            {m_storages[given[0].index], given[1].number, numbers(given[2]), numbers(given[3])});
        return {Kind::tensor, 0, m_tensors.size() - 1};
    }

    /// ("storage", torch.FloatStorage, "0", "cpu", 96)
    Value persistent(const Value& id) {
        const auto& parts = items(id, Kind::tuple, 5);
        if (parts[1].kind != Kind::function || parts[2].kind != Kind::text ||
            parts[4].kind != Kind::integer || m_texts[parts[2].index].size() > kLongestKey)
            throw InputError("a storage in it is described in another way than torch.save does");
        const auto& name = m_texts[parts[1].index];
        const auto* type =
            std::ranges::find(kStorages, name, &std::pair<std::string_view, std::string_view>::first);
        if (type == std::end(kStorages)) throw InputError("its storage " + name + " is of no known type");
        m_storages.push_back({std::string(type->second), m_texts[parts[2].index], parts[4].number});
        return {Kind::storage, 0, m_storages.size() - 1};
    }

    void step(unsigned char code) {
        switch (code) {
            case 0x80:
                take(1);
                return;  // PROTO
            case 0x95:
                take(8);
                return;  // FRAME
            case '(':
                push({Kind::mark, 0, 0});
                return;
            case '}':
                push(container(Kind::dictionary));
                return;
            case ']':
                push(container(Kind::list));
                return;
            case ')':
                push(container(Kind::tuple));
                return;
            case 't':
                push(container(Kind::tuple, popToMark()));
                return;
            case 0x85:
                push(tuple(1));
                return;
            case 0x86:
                push(tuple(2));
                return;
            case 0x87:
                push(tuple(3));
                return;
            case 'N':
            case 0x88:
            case 0x89:
                push({});
                return;  // None, True, False
            case 'J':
                push({Kind::integer, number<std::int32_t>(), 0});
                return;
            case 'K':
                push({Kind::integer, number<std::uint8_t>(), 0});
                return;
            case 'M':
                push({Kind::integer, number<std::uint16_t>(), 0});
                return;
            case 0x8a:
                push({Kind::integer, longInteger(), 0});
                return;
            case 'G':
                take(8);
                push({});
                return;  // a float, which no tensor needs
            case 'X':
                push(text(take(number<std::uint32_t>())));
                return;
            case 0x8c:
                push(text(take(number<std::uint8_t>())));
                return;
            case 0x8d:
                push(text(take(number<std::uint64_t>())));
                return;
            case 'q':
                remember(number<std::uint8_t>());
                return;
            case 'r':
                remember(number<std::uint32_t>());
                return;
            case 0x94:
                remember(m_memo.size());
                return;  // MEMOIZE
            case 'h':
                recall(number<std::uint8_t>());
                return;
            case 'j':
                recall(number<std::uint32_t>());
                return;
            case 'c': {
                const auto module = line();
                push(function(module, line()));
                return;
            }
            case 0x93: {  // STACK_GLOBAL
                const auto name = pop(), module = pop();
                if (name.kind != Kind::text || module.kind != Kind::text)
                    throw InputError("its pickle is damaged");
                push(function(std::string(m_texts[module.index]), std::string(m_texts[name.index])));
                return;
            }
            case 'R': {  // REDUCE
                const auto args = pop(), what = pop();
                push(call(what, args));
                return;
            }
            case 'b':  // BUILD: the versions of a state dict's modules
                pop();
                if (top().kind != Kind::dictionary)
                    throw InputError("its pickle gives a state to what is no dictionary");
                return;
            case 'Q':
                push(persistent(pop()));
                return;
            case 's': {
                const auto value = pop(), key = pop();
                extend(Kind::dictionary, {key, value});
                return;
            }
            case 'u': {
                const auto values = popToMark();
                extend(Kind::dictionary, values);
                return;
            }
            case 'a': {
                const auto value = pop();
                extend(Kind::list, {value});
                return;
            }
            case 'e': {
                const auto values = popToMark();
                extend(Kind::list, values);
                return;
            }
            default:
                throw InputError("its pickle has the operation " + std::to_string(code) +
                                 ", which a file of weights does not need");
        }
    }

    std::int64_t longInteger() {
        const auto size = number<std::uint8_t>();
        const auto bytes = take(size);
        if (size > 8) throw InputError("a number in it is too large");
        std::uint64_t value = size > 0 && (bytes[size - 1] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
        if (size > 0) std::memcpy(&value, bytes.data(), size);
        return static_cast<std::int64_t>(value);
    }

    const std::string& m_bytes;
    std::uint64_t m_at = 0;
    std::size_t m_added = 0, m_visited = 0;
    std::vector<Value> m_stack;
    std::unordered_map<std::uint64_t, Value> m_memo;
    std::deque<std::string> m_texts;
    std::deque<std::vector<Value>> m_items;
    std::deque<Storage> m_storages;
    std::deque<Tensor> m_tensors;
};

/// The elements of a tensor whose numbers lie one behind the other, as a reader of its bytes needs.
std::int64_t elementsOf(const std::string& name, const Tensor& tensor) {
    if (tensor.shape.size() != tensor.strides.size()) throw InputError(name + " is damaged");
    const bool empty = std::ranges::find(tensor.shape, 0) != tensor.shape.end();
    if (empty) return 0;
    std::int64_t elements = 1;
    for (std::size_t i = tensor.shape.size(); i-- > 0;) {
        if (tensor.shape[i] > 1 && tensor.strides[i] != elements)
            throw InputError(name + " is stored transposed or in steps");
        if (tensor.shape[i] > tensor.storage.elements / elements)
            throw InputError(name + " is larger than its storage");
        elements *= tensor.shape[i];
    }
    return elements;
}

SafetensorsEntry entryOf(const std::string& name, const Tensor& tensor, const ZipEntry& bytes) {
    const auto size = safetensorsTypeSize(tensor.storage.type);
    const auto& storage = tensor.storage;
    if (storage.elements < 0 || static_cast<std::uint64_t>(storage.elements) > bytes.size / size)
        throw InputError("the storage of " + name + " is larger than its bytes");
    const auto elements = elementsOf(name, tensor);
    if (tensor.offset > storage.elements - elements) throw InputError(name + " lies outside of its storage");
    const auto begin = bytes.begin + static_cast<std::uint64_t>(tensor.offset) * size;
    return {name, storage.type, tensor.shape, begin, begin + static_cast<std::uint64_t>(elements) * size};
}

std::string contentOf(const BinaryFile& file, const ZipEntry& entry) {
    if (entry.size > kLongestPickle) throw InputError("its pickle is too long");
    std::string bytes(entry.size, '\0');
    file.readAt(entry.begin, bytes.data(), entry.size);
    return bytes;
}

/// Without a word that all names begin with where everything lies in one dictionary: {"state_dict": {…}}.
std::string wrapperOf(const std::vector<std::pair<std::string, Tensor>>& tensors) {
    for (const std::string wrapper : {"state_dict.", "model_state.", "model_state_dict."})
        if (!tensors.empty() &&
            std::ranges::all_of(tensors, [&](const auto& each) { return each.first.starts_with(wrapper); }))
            return wrapper;
    return "";
}

}  // namespace

std::vector<SafetensorsEntry> readTorchZip(const std::filesystem::path& path) {
    const auto file = BinaryFile::openForRead(path);
    try {
        const auto entries = readZipDirectory(file);
        // torch.save puts everything into one folder, named by the file
        const auto pickle =
            std::ranges::find_if(entries, [](const auto& each) { return each.first.ends_with("/data.pkl"); });
        if (pickle == entries.end()) throw InputError("it has no data.pkl");
        const auto folder = pickle->first.substr(0, pickle->first.size() - std::strlen("data.pkl"));
        if (const auto order = entries.find(folder + "byteorder");
            order != entries.end() && contentOf(file, order->second) != "little")
            throw InputError("its numbers are not little-endian");
        const auto bytes = contentOf(file, pickle->second);
        PickleReader reader(bytes);
        std::vector<std::pair<std::string, Tensor>> tensors;
        reader.collect(reader.read(), "", 0, tensors);
        const auto wrapper = wrapperOf(tensors);
        std::vector<SafetensorsEntry> all;
        for (const auto& [name, tensor] : tensors) {
            const auto storage = entries.find(folder + "data/" + tensor.storage.key);
            if (storage == entries.end()) throw InputError("the numbers of " + name + " are missing");
            all.push_back(entryOf(name.substr(wrapper.size()), tensor, storage->second));
        }
        return all;
    } catch (const InputError& error) {
        throw Error(path.string() + " is not a whole state dict of torch.save: " + error.what() + ".",
                    error.remedy());
    }
}

}  // namespace dailies::trainer
