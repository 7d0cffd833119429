#include "trainer/inference/sampling.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "core/config/family_traits.h"
#include "core/config/guidance_types.h"
#include "core/config/sampling_job.h"
#include "trainer/denoising/image_condition.h"
#include "trainer/inference/clip_output.h"
#include "trainer/text/prompt_embeddings.h"

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

namespace {

constexpr std::size_t kDefaultPrompts = 6;

/// So many of `all` places at most, evenly spread, first and last included.
std::vector<std::size_t> spread(std::size_t all, std::size_t count) {
    std::vector<std::size_t> chosen;
    const auto gaps = std::max<std::size_t>(count, 2) - 1;
    for (std::size_t i = 0; i < std::min(all, count); ++i)
        chosen.push_back(all <= count ? i : (i * (all - 1) + gaps / 2) / gaps);
    return chosen;
}

/// So many clips of the data at most, spread over them; the first of those that a generator makes.
std::vector<std::int64_t> someClips(const DataSource& source, std::size_t count) {
    const auto all = source.size() > 0 ? static_cast<std::size_t>(source.size()) : count;
    std::vector<std::int64_t> clips;
    for (const auto clip : spread(all, count)) clips.push_back(static_cast<std::int64_t>(clip));
    return clips;
}

/// Some captions, so that each of their aspects varies.
std::vector<std::string> someOf(const std::vector<std::string>& captions) {
    std::vector<std::string> chosen;
    for (const auto place : spread(captions.size(), kDefaultPrompts)) chosen.push_back(captions[place]);
    return chosen;
}

double meanOfNumbers(const std::vector<double>& values) {
    double sum = 0, count = 0;
    for (const double value : values)
        if (!std::isnan(value)) {
            sum += value;
            ++count;
        }
    return sum / count;
}

}  // namespace

double fractionCorrect(const std::map<std::string, bool>& aspects) {
    double right = 0;
    for (const auto& [aspect, isRight] : aspects) right += isRight;
    return right / static_cast<double>(aspects.size());
}

void setGuide(SampleRequest& request, const DataSource* source, const GuideFiles& files,
              const config::TrainConfig& config, std::int64_t frames) {
    auto& guide = request.guide;
    if (source && (files.reference.empty() || files.poses.empty()))
        guide = source->guideOf(request.prompt, request.seed, frames);
    request.isPromptsGuide = guide && files.reference.empty() && files.poses.empty();
    if (!guide) guide.emplace();
    readGuide(files, config, frames, *guide);
    const bool posed = guide->referencePose.frames > 0 || !config::readsReferencePose(config.model.family);
    for (const auto& [key, isThere] : {std::pair{"sampling.reference_files", guide->reference.frames > 0},
                                       std::pair{"sampling.pose_files", !guide->poses.empty()},
                                       std::pair{"sampling.reference_pose_files", posed}})
        if (!isThere)
            throw InputError(
                std::string(key) + ": found none for \"" + request.prompt +
                    "\", and no clip of the data with this caption has " +
                    pluralize(frames, "frame", "frames") + ".",
                key == std::string("sampling.reference_pose_files")
                    ? "Name a picture in which the reference's pose is drawn, or its key points."
                    : "Name a picture of the character and a video of drawn poses, one for all prompts "
                      "or one for each.");
}

std::map<std::string, std::vector<double>> errorsOf(const Judge* judge, const SampleRequest& request,
                                                    const RgbClip& clip) {
    if (!judge || !request.isPromptsGuide) return {};
    return judge->errors(clip, request.prompt, request.seed);
}

void addInputs(ClipOutput& output, const SampleRequest& request, const config::TrainConfig& config) {
    if (request.image && !request.conditioningFile.empty())
        output.addInput("image", readImage(request.conditioningFile, config));
    if (!request.lastFile.empty())
        output.addInput("last_image", readImage(request.lastFile, config, "sampling.last_files"));
    if (!request.guide) return;
    output.addInput("reference", request.guide->reference);
    const auto drawings = config::drawingsOf(config.model.guidance_types);
    for (std::size_t i = 0; i < drawings.size(); ++i)
        output.addInput(drawings[i], request.guide->poses.at(i));
}

Json sampleNote(const config::TrainConfig& config, std::int64_t step, const SampleRequest& request,
                const Aspects& aspects) {
    Json note = {{"step", step},
                 {"prompt", request.prompt},
                 {"seed", request.seed},
                 {"fps", config.data.fps},
                 {"sampler", config.sampling.sampler},
                 {"sampler_steps", config.sampling.steps},
                 {"guidance", config.sampling.guidance}};
    if (request.conditioning.defined()) {
        note["given_file"] = request.conditioningFile;
        note["given_frames"] = request.conditioning.size(0);
    }
    if (request.image && !request.conditioningFile.empty()) note["given_file"] = request.conditioningFile;
    if (!request.lastFile.empty()) note["last_file"] = request.lastFile;
    if (!aspects) return note;
    for (const auto& [aspect, isRight] : *aspects) note["right"][aspect] = isRight;
    note["adherence"] = fractionCorrect(*aspects);
    return note;
}

Sampling::Sampling(const config::TrainConfig& config, std::filesystem::path runFolder, DataSource& source,
                   const Vocabulary& vocabulary, const SamplerParts& parts, std::int64_t clipsAtOnce,
                   const layers::SequenceParallel* sequenceParallel, RunLog& log)
    : m_config(config),
      m_runFolder(std::move(runFolder)),
      m_source(source),
      m_judge(source.judge()),
      m_sampler(config, parts, clipsAtOnce, sequenceParallel),
      m_log(log) {
    const auto& sampling = config.sampling;
    const auto& text = parts.text;
    if (!text.encodesPrompts()) {
        sampling.prompt_embeddings.empty() ? addClipsOf(source) : addEmbedded(source, text.width());
        return;
    }
    const auto captions = source.captions();
    if (takesImagesOfData() && sampling.prompts.empty())
        addClipsOf(source);
    else
        addPrompts(source, captions, vocabulary, text);
    if (m_judge) beginsWithImages() ? addJudgedWithImagesOf(source) : addJudged(captions);
}

void Sampling::addPrompts(DataSource& source, const std::vector<std::string>& captions,
                          const Vocabulary& vocabulary, const TextEncoder& text) {
    const auto& sampling = m_config.sampling;
    const auto prompts = sampling.prompts.empty() ? someOf(captions) : sampling.prompts;
    const auto warnOfUnknownWords = [&](const char* key, const std::string& prompt) {
        if (!text.isBagOfWords() || config::isUnet(m_config.model)) return;
        for (const auto& word : vocabulary.unknownWords(prompt))
            m_log.append(events::Message{"warning", std::string(key) +
                                                        ": no caption of the data has the word \"" + word +
                                                        "\"; the model ignores it in \"" + prompt + "\"."});
    };
    std::set<std::string> taken;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        SampleRequest request{prompts[i], sampling.seed};
        request.image = imageFrom(source, i, prompts.size());
        addRequest(std::move(request), i, taken);
        warnOfUnknownWords("sampling.prompts", prompts[i]);
    }
    warnOfUnknownWords("sampling.negative_prompt", sampling.negative_prompt);
}

void Sampling::addEmbedded(DataSource& source, std::int64_t width) {
    const auto& sampling = m_config.sampling;
    std::set<std::string> taken;
    for (std::size_t i = 0; i < sampling.prompt_embeddings.size(); ++i) {
        SampleRequest request{sampling.prompts[i], sampling.seed};
        request.embeddings =
            readPromptEmbeddings("sampling.prompt_embeddings", sampling.prompt_embeddings[i], width);
        request.image = imageFrom(source, i, sampling.prompt_embeddings.size());
        addRequest(std::move(request), i, taken);
    }
}

void Sampling::addClipsOf(DataSource& source) {
    std::set<std::string> taken, captions;
    for (const auto clip : someClips(source, kDefaultPrompts)) {
        auto example = beginsWithImages() ? source.example(clip) : source.withoutPixels(clip);
        if (example.textEmbeddings && !captions.insert(example.caption).second) continue;
        SampleRequest request{example.caption, m_config.sampling.seed};
        request.embeddings = std::move(example.textEmbeddings);
        request.image = std::move(example.image);
        addRequest(std::move(request), 0, taken);
    }
}

std::optional<ImageCondition> Sampling::imageFrom(DataSource& source, std::size_t place,
                                                  std::size_t count) const {
    if (!takesImagesOfData()) return std::nullopt;
    const auto clips = someClips(source, count);
    return source.example(clips[place % clips.size()]).image;
}

void Sampling::addRequest(SampleRequest request, std::size_t place, std::set<std::string>& taken) {
    request.conditioningFile = config::fileOfPrompt(m_config.sampling.given_files, place);
    request.lastFile = config::fileOfPrompt(m_config.sampling.last_files, place);
    addGuide(request, place);
    if (!request.conditioningFile.empty()) {
        if (beginsWithImages())
            request.image = m_sampler.readImage(request.conditioningFile, request.lastFile);
        else
            request.conditioning = m_sampler.readGiven(request.conditioningFile);
    }
    m_purposes.push_back(
        {uniqueName(promptFileName(request.prompt) + "-" + std::to_string(request.seed), taken)});
    m_requests.push_back(std::move(request));
}

void Sampling::addGuide(SampleRequest& request, std::size_t place) const {
    if (!config::animates(m_config.model)) return;
    const auto& sampling = m_config.sampling;
    setGuide(request, &m_source,
             {config::fileOfPrompt(sampling.reference_files, place),
              config::fileOfPrompt(sampling.pose_files, place),
              config::fileOfPrompt(sampling.reference_pose_files, place)},
             m_config, m_config.data.frames);
}

void Sampling::addJudged(const std::vector<std::string>& captions) {
    const auto& sampling = m_config.sampling;
    const auto captionCount = static_cast<std::int64_t>(captions.size());
    for (std::int64_t i = 0; i < sampling.adherence_clips; ++i) {
        // a shuffled walk, so that fewer clips than captions still vary in every aspect; 29 is coprime to 48
        SampleRequest request{captions[static_cast<std::size_t>(i * 29 % captionCount)],
                              sampling.seed + i / captionCount};
        const auto same = std::ranges::find_if(m_requests, [&](const SampleRequest& r) {
            return r.prompt == request.prompt && r.seed == request.seed && r.conditioningFile.empty();
        });
        const auto place = static_cast<std::size_t>(same - m_requests.begin());
        if (same == m_requests.end()) {
            if (config::animates(m_config.model))
                setGuide(request, &m_source, {}, m_config, m_config.data.frames);
            m_requests.push_back(std::move(request));
            m_purposes.emplace_back();
        }
        m_purposes[place].judged = true;
    }
}

void Sampling::addJudgedWithImagesOf(DataSource& source) {
    for (std::int64_t i = 0; i < m_config.sampling.adherence_clips; ++i) {
        auto example = source.example(i);
        SampleRequest request{example.caption, m_config.sampling.seed + i};
        request.image = std::move(example.image);
        m_requests.push_back(std::move(request));
        m_purposes.push_back({"", /*judged=*/true});
    }
}

void Sampling::run(std::int64_t step, const Params& weights) {
    const auto clips = m_sampler.sample(m_requests, weights);
    std::map<std::string, double> right;
    double judged = 0;
    std::map<std::string, double> errors;  // sums over the judged clips
    for (std::size_t i = 0; i < clips.size(); ++i) {
        const auto& request = m_requests[i];
        const auto aspects = m_judge ? m_judge->judge(clips[i], request.prompt) : Aspects{};
        const auto errorsOfClip = errorsOf(m_judge, request, clips[i]);
        if (!m_purposes[i].file.empty())
            write(request, m_purposes[i].file, clips[i], aspects, errorsOfClip, step);
        if (!m_purposes[i].judged || !aspects) continue;
        judged += 1;
        for (const auto& [aspect, isRight] : *aspects) right["adherence_" + aspect] += isRight;
        right["adherence"] += std::ranges::all_of(*aspects, [](const auto& aspect) { return aspect.second; });
        for (const auto& [name, perFrame] : errorsOfClip) errors[name] += meanOfNumbers(perFrame);
    }
    if (judged == 0) return;
    right.merge(errors);
    for (auto& [name, count] : right) count /= judged;
    m_log.append(events::Metrics{step, std::move(right)});
}

void Sampling::write(const SampleRequest& request, const std::string& file, const RgbClip& clip,
                     const Aspects& aspects, std::map<std::string, std::vector<double>> errors,
                     std::int64_t step) {
    events::Clip event;
    event.step = step;
    event.prompt = request.prompt;
    event.seed = request.seed;
    event.fps = static_cast<double>(m_config.data.fps);
    if (aspects) event.adherence = fractionCorrect(*aspects);
    event.perFrame = std::move(errors);
    const auto make = [&](ClipOutput& output) {
        output.add(clip);
        addInputs(output, request, m_config);
        if (request.image && request.conditioningFile.empty())  // of a clip of the data
            output.addInput("image", m_sampler.imageShown(*request.image));
    };
    writeClipOfRun(m_runFolder, file, make, event, sampleNote(m_config, step, request, aspects), m_log);
}

}  // namespace dailies::trainer
