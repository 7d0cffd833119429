#include "core/compare/export.h"

#include "core/base/csv.h"
#include "core/base/text.h"

namespace dailies::compare {

namespace {

std::string markdownCell(const std::string& text) {
    std::string out;
    for (const char c : sanitizedText(text)) {
        if (c == '\n' || c == '\t') {
            out += ' ';
            continue;
        }
        if (std::string_view("\\`*_|<>[]").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string keyText(const Line& line) {
    const std::string& title = line.group->title;
    const char separator = line.section->kind == SectionKind::Config ? '.' : '/';
    return title.empty() ? line.row->name : title + separator + line.row->name;
}

std::string value(const Cell& cell) {
    std::string text = markdownCell(cell.text);
    if (cell.best) text = "**" + text + "**";
    if (!cell.note.empty()) text += " (" + cell.note + ")";
    if (!cell.change.empty()) text += " " + cell.change;
    return text;
}

}  // namespace

std::string toMarkdown(const Comparison& comparison, const std::vector<Line>& lines) {
    std::string out;
    for (const Line& line : lines) {
        if (line.kind == Line::Kind::Section) {
            out += (out.empty() ? "### " : "\n### ") + line.section->title + "\n\n| |";
            for (std::size_t i = 0; i < comparison.names.size(); ++i)
                out += (i == comparison.reference ? " ★ " : " ") + markdownCell(comparison.names[i]) + " |";
            out += "\n|---|";
            for (std::size_t i = 0; i < comparison.names.size(); ++i) out += "---|";
            out += '\n';
        } else if (line.kind == Line::Kind::Row) {
            out += "| " + markdownCell(keyText(line));
            if (!line.row->unit.empty()) out += " (" + markdownCell(line.row->unit) + ")";
            out += " |";
            for (const Cell& cell : line.row->cells) out += " " + value(cell) + " |";
            out += '\n';
        }
    }
    return out;
}

namespace {

/// Infinity as every other table of ours spells it; on the screen it is a sign.
const std::string& spelled(const std::string& text) {
    static const std::string kInfinity = "Infinity", kNegative = "-Infinity";
    return text == "∞" ? kInfinity : text == "−∞" ? kNegative : text;
}

}  // namespace

std::string toCsv(const Comparison& comparison, const std::vector<Line>& lines) {
    std::string out = "section,key,unit";
    for (const std::string& name : comparison.names) out += "," + csvField(name);
    out += "\r\n";
    for (const Line& line : lines) {
        if (line.kind != Line::Kind::Row) continue;
        out += csvField(line.section->title) + "," + csvField(keyText(line)) + "," + csvField(line.row->unit);
        for (const Cell& cell : line.row->cells) out += "," + csvField(spelled(cell.text));
        out += "\r\n";
    }
    return out;
}

}  // namespace dailies::compare
