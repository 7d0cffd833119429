#include "ui/review/outputs/clip_page.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_writer.h"
#include "ui/review/outputs/clip_page_template.h"
#include "ui/wall/wall_paint.h"

#include <QByteArray>
#include <QSaveFile>

#include <algorithm>
#include <array>

namespace dailies::ui {

namespace {

QByteArray escaped(const QString& text) {
    return text.toHtmlEscaped().toUtf8();
}

bool browsersPlay(const std::filesystem::path& file) {
    static constexpr std::array<const char*, 2> kPlayed{".mp4", ".webm"};
    return std::ranges::find(kPlayed, file.extension().string()) != kPlayed.end();
}

/// The bytes of the clip as a browser plays them, and their type.
struct Embedded {
    std::string bytes;
    const char* type = "video/mp4";
};

Embedded embed(const std::filesystem::path& file) {
    video::ClipReader reader(file);  // what cannot be read is told, not embedded
    if (browsersPlay(file)) return {readFile(file), file.extension() == ".webm" ? "video/webm" : "video/mp4"};
    const TemporaryFolder folder("dailies-page");
    video::ClipEncoding encoding;
    if (reader.info().fps > 0) encoding.fps = reader.info().fps;
    video::ClipWriter writer(folder.path() / "clip.mp4", encoding);
    const int width = reader.info().width / 2 * 2, height = reader.info().height / 2 * 2;
    for (int n = 0; n < reader.info().frames; ++n) writer.add(reader.frame(n, width, height));
    return {readFile(writer.finish())};
}

/// The page, written piece by piece: memory holds one clip at a time.
class PageWriter {
public:
    PageWriter(const ClipGrid& grid, const OutputOptions& options, QSaveFile& out)
        : m_grid(grid), m_options(options), m_out(out) {}

    void write(const OutputProgress& progress, const std::stop_token& stop) {
        const std::string_view page = kClipPageTemplate;
        std::size_t at = 0;
        for (auto begin = page.find("{{"); begin != std::string_view::npos; begin = page.find("{{", at)) {
            const auto end = page.find("}}", begin);
            put(page.substr(at, begin - at));
            fill(page.substr(begin + 2, end - begin - 2), progress, stop);
            at = end + 2;
        }
        put(page.substr(at));
    }

private:
    void put(std::string_view text) {
        if (m_out.write(text.data(), static_cast<qint64>(text.size())) < 0)
            throw Error("Cannot write the page " + m_out.fileName().toStdString() + ": " +
                        m_out.errorString().toStdString() + ".");
    }
    void put(const char* text) { put(std::string_view(text)); }
    void put(const QByteArray& text) {
        put(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    }

    void fill(std::string_view name, const OutputProgress& progress, const std::stop_token& stop) {
        if (name == "TITLE") put(escaped(m_grid.title));
        if (name == "WIDTH") put(QByteArray::number(clipWidth()));
        if (name == "ASPECT") put(QByteArray::number(m_grid.aspect));
        if (name == "SUMMARY")
            put(escaped((m_grid.present() == 1 ? QStringLiteral("%1 clip · %2 × %3")
                                               : QStringLiteral("%1 clips · %2 × %3"))
                            .arg(m_grid.present())
                            .arg(m_grid.rows.size())
                            .arg(m_grid.columns.size())));
        if (name == "WALL") wall(progress, stop);
    }

    int clipWidth() const {
        const int width = m_options.pictureWidth > 0 ? m_options.pictureWidth : widestClip(m_grid);
        return width > 0 ? width : kPageClipWidth;
    }

    void head() {
        put("<thead><tr><td></td>");
        for (const auto& column : m_grid.columns) {
            put("<th scope=\"col\">");
            if (column.color.isValid())
                put("<i style=\"background:" + column.color.name().toLatin1() + "\"></i>");
            put(escaped(column.name));
            heading(column);
        }
        put("</tr></thead>\n");
    }

    void wall(const OutputProgress& progress, const std::stop_token& stop) {
        put("<table>\n");
        if (m_options.labels) head();
        put("<tbody>\n");
        for (std::size_t row = 0; row < m_grid.rows.size(); ++row) {
            put("<tr>");
            if (m_options.labels) {
                put("<th scope=\"row\">" + escaped(m_grid.rows[row].name));
                heading(m_grid.rows[row]);
            }
            for (std::size_t column = 0; column < m_grid.columns.size(); ++column) {
                if (stop.stop_requested()) throw Cancelled();
                cell(m_grid.clip(column, row));
                ++m_done;
                if (progress) progress(m_done, static_cast<int>(m_grid.clips.size()));
            }
            put("</tr>\n");
        }
        put("</tbody>\n</table>");
    }

    void heading(const ClipGrid::Heading& heading) {
        if (!heading.note.isEmpty())
            put((heading.best ? "<small class=\"best\">★ " : "<small>") + escaped(heading.note) + "</small>");
        put("</th>");
    }

    void cell(const ClipGrid::Clip& clip) {
        put("<td><figure>");
        if (clip.file.empty())
            nothing(clip.missing);
        else
            video(clip);
        if (m_options.labels) {
            if (const auto caption = captionOf(clip); !caption.isEmpty())
                put("<figcaption>" + escaped(caption) + "</figcaption>");
            if (!clip.remark.isEmpty()) put("<blockquote>" + escaped(clip.remark) + "</blockquote>");
        }
        put("</figure></td>");
    }

    void video(const ClipGrid::Clip& clip) {
        try {
            const Embedded embedded = embed(clip.file);
            put("<video muted playsinline preload=\"auto\" data-frames=\"" + QByteArray::number(clip.frames) +
                "\" data-fps=\"" + QByteArray::number(clip.fps > 0 ? clip.fps : 8) +
                "\" src=\"data:" + embedded.type + ";base64,");
            put(QByteArray::fromRawData(embedded.bytes.data(), static_cast<qsizetype>(embedded.bytes.size()))
                    .toBase64());
            put("\"></video>");
        } catch (const Error& error) {
            nothing(withoutFolder(QString::fromUtf8(error.what()), clip.file));
        }
    }

    void nothing(const QString& why) { put("<div class=\"nothing\">" + escaped(why) + "</div>"); }

    const ClipGrid& m_grid;
    const OutputOptions& m_options;
    QSaveFile& m_out;
    int m_done = 0;
};

}  // namespace

void writeClipPage(const ClipGrid& grid, const std::filesystem::path& file, const OutputProgress& progress,
                   const std::stop_token& stop, const OutputOptions& options) {
    QSaveFile out(QString::fromStdString(file.string()));
    const auto fail = [&] {
        throw Error("Cannot write the page " + file.string() + ": " + out.errorString().toStdString() + ".",
                    "Choose a folder that you may write to.");
    };
    if (!out.open(QIODevice::WriteOnly)) fail();
    PageWriter(grid, options, out).write(progress, stop);
    if (!out.commit()) fail();
}

}  // namespace dailies::ui
