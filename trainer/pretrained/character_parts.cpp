#include "trainer/pretrained/character_parts.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/config/guidance_types.h"
#include "trainer/models/animate/animate.h"
#include "trainer/pretrained/families/pose_guider.h"
#include "trainer/pretrained/families/sd_unet.h"
#include "trainer/pretrained/own_tensors.h"
#include "trainer/pretrained/stored_values.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::pretrained {

namespace {

const std::string kUnet = "U-Net", kReferenceNet = "ReferenceNet", kMotion = "motion modules",
                  kGuider = "pose guider", kControlNet = "ControlNet", kEncoder = "guidance encoder";

bool isOfMotion(const std::string& name) {
    return name.find(".motion_modules.") != std::string::npos;
}

bool isPosition(const std::string& name) {
    return name.ends_with(".pos_embed.pe") || name.ends_with(".pos_encoder.pe");
}

bool isOutput(const std::string& name) {
    return name.starts_with("conv_out.") || name.starts_with("conv_norm_out.");
}

/// `type`: one of `config::kGuidanceTypes`.
std::string encoderKind(const std::string& type) {
    return kEncoder + " of " + type;
}

/// One of Champ's, by the name that its file or folder has.
std::string encoderKindIn(const std::string& name) {
    for (const auto& type : config::kGuidanceTypes)
        if (name.find(guidanceEncoderName(type)) != std::string::npos) return encoderKind(type);
    return kEncoder;
}

std::string kindOf(const PublishedModel& part) {
    const auto& family = part.found.family;
    if (family.name == "motion_modules") return kMotion;
    if (family.name == "pose_guider") return kGuider;
    const auto name = lowered(part.weights.name);
    if (family.name == "guidance_encoder") return encoderKindIn(name);
    const bool called = name.find("reference") != std::string::npos;
    return called || unetSizes(family.sizes).outputs == 0 ? kReferenceNet : kUnet;
}

/// The guider of a ControlNet as a model of its own.
PublishedModel guiderOf(const PublishedModel& controlNet) {
    PublishedModel guider{controlNet.weights, {}, controlNet.scales};
    auto& tensors = guider.weights.tensors;
    const std::string before = controlNet.found.prefix + kControlNetGuider;
    std::erase_if(tensors, [&](const StoredTensor& tensor) { return !tensor.name.starts_with(before); });
    for (auto& tensor : tensors) tensor.name = tensor.name.substr(before.size());
    std::vector<const StoredTensor*> all;
    for (const auto& tensor : tensors) all.push_back(&tensor);
    guider.found = recognise(guider.weights, all, {}, {}, ownTensors);
    return guider;
}

}  // namespace

void CharacterParts::add(PublishedModel part) {
    if (part.found.family.name == "controlnet") {
        m_parts.push_back(std::make_unique<Part>(guiderOf(part), kControlNet));
        return;
    }
    auto kind = kindOf(part);
    m_parts.push_back(std::make_unique<Part>(std::move(part), std::move(kind)));
}

void CharacterParts::refuse(const std::string& what, const std::string& remedy) const {
    throw InputError("model.init: " + m_path.string() + " " + what, remedy);
}

std::vector<std::string> CharacterParts::netNames() const {
    std::vector<std::string> names;
    for (const auto& part : m_parts)
        if (part->kind != kMotion) names.push_back(part->model.weights.name);
    return names;
}

const CharacterParts::Part* CharacterParts::only(const std::set<std::string>& kinds) const {
    std::vector<std::string> names;
    const Part* found = nullptr;
    for (const auto& part : m_parts) {
        if (!kinds.contains(part->kind)) continue;
        found = part.get();
        names.push_back(part->model.weights.name);
    }
    if (names.size() > 1)
        refuse("holds several parts of one kind (" + join({kinds.begin(), kinds.end()}, " or ") +
                   "): " + join(names, ", ") + ".",
               "Name a folder with one of each, of which links are enough. A U-Net is the ReferenceNet where "
               "its file or folder is called so.");
    return found;
}

void CharacterParts::requireSizes(const ModelShape& shape) const {
    const auto wanted = denoiserSizes(shape);
    std::vector<std::string> others;
    const auto expect = [&](const std::string& key, std::int64_t found, std::int64_t is) {
        if (found != is) others.push_back(key + " is " + std::to_string(is));
    };
    for (const auto* part : {m_unet, m_reference}) {
        if (!part || !others.empty()) continue;
        const auto sizes = unetSizes(part->model.found.family.sizes);
        const auto width = sizes.levels.channels.front();
        if (sizes.levels.channels != Extents{width, 2 * width, 4 * width, 4 * width})
            refuse("holds a " + part->kind + " of other levels than Stable Diffusion 1 has.");
        expect("model.width", shape.model.width, width);
        expect("model.depth", shape.model.depth, sizes.levels.blocks);
        expect("model.heads", shape.model.heads, sizes.heads);
        expect("the number of the latents' channels times model.patch_size squared", wanted.inputs,
               sizes.inputs);
        if (wanted.context == 0)
            others.push_back("model.image_encoder is one whose embeddings have the width " +
                             std::to_string(sizes.context));
        else
            expect("the width of model.image_encoder's embeddings", wanted.context, sizes.context);
        if (others.empty()) expect("the number of the norms' groups", wanted.groups, sizes.groups);
    }
    const auto& types = shape.model.guidance_types;
    std::vector<std::string> encoded;
    for (const auto& type : config::kGuidanceTypes)
        if (m_encoders.contains(guidanceEncoderName(type))) encoded.push_back(type);
    if (std::ranges::any_of(encoded,
                            [&](const auto& type) { return std::ranges::find(types, type) == types.end(); }))
        others.push_back("model.guidance_types is [" + join(encoded, ", ") + "]");
    if (m_motion && wanted.motion.places > 0) {
        const auto& sizes = m_motion->model.found.family.sizes;
        const bool middle =
            m_motion->kind == kMotion ? motionSizes(sizes).motion.middle : unetSizes(sizes).motion.middle;
        if (middle != wanted.motion.middle)
            others.push_back(std::string("model.motion is ") + (middle ? "v2" : "v1"));
    }
    if (shape.model.time_scale != 1000) others.emplace_back("model.time_scale is 1000");
    if (!others.empty())
        refuse("holds parts of a model of which " + join(others, ", ") + ".", "Give the run these settings.");
}

void CharacterParts::fit(const Model& model, const std::set<std::string>& given) {
    if (model.shape().model.family != "animate")
        refuse("holds parts of a model of characters, with which model.family " + model.shape().model.family +
                   " cannot begin.",
               "Set model.family: animate.");
    for (const auto& part : m_parts)
        if (const auto problems = part->model.problems(); !problems.empty())
            refuse("holds a " + part->kind + " that is not whole: " + join(problems, "; ") + ".",
                   "dailies-train inspect says what it holds.");
    m_unet = only({kUnet});
    m_reference = only({kReferenceNet});
    m_motion = only({kMotion});
    m_guider = only({kGuider, kControlNet});
    for (const auto& type : config::kGuidanceTypes)
        if (const auto* encoder = only({encoderKind(type)})) m_encoders[guidanceEncoderName(type)] = encoder;
    if (const auto* unnamed = only({kEncoder}))
        refuse("holds a guidance encoder, " + unnamed->model.weights.name +
                   ", whose name does not say what it reads.",
               "Call it, or a link to it, " + guidanceEncoderName("TYPE") + ", where TYPE is " +
                   join(config::kGuidanceTypes, ", ") + ".");
    if (!m_unet && given.empty())
        refuse("holds no U-Net of Stable Diffusion 1, with which the denoiser begins.",
               "Put it, or a link to it, into the folder.");
    const bool unetMoves = m_unet && unetSizes(m_unet->model.found.family.sizes).motion.places > 0;
    if (unetMoves && m_motion)
        refuse("holds a U-Net with motion modules of its own beside those of " +
               m_motion->model.weights.name + ".");
    if (unetMoves) m_motion = m_unet;
    requireSizes(model.shape());
    m_motionIsRead = model.shape().model.motion != "none";

    const auto shapes = model.weightsOnMeta();
    std::map<const PublishedModel*, std::set<std::string>> used;
    std::vector<std::string> missing, misshapen;
    for (const auto& name : shapes.names()) {
        if (given.contains(name)) continue;
        const auto net = name.substr(0, name.find('.'));
        const auto theirs = name.substr(net.size() + 1);
        const auto before = guidanceEncoderName("");
        const bool encodes = net.starts_with(before), guides = encodes || net == "guider",
                   moves = isOfMotion(name);
        const auto encoder = m_encoders.find(net);
        const auto* part = encodes              ? (encoder == m_encoders.end() ? nullptr : encoder->second)
                           : guides             ? m_guider
                           : moves              ? m_motion
                           : net == "reference" ? (m_reference ? m_reference : m_unet)
                                                : m_unet;
        // a ControlNet's last convolution adds to other layers: Animate Anyone begins without it
        if (!part || (part->kind == kControlNet && isOutput(theirs))) {
            if (!part && !guides && !moves) missing.push_back(name);
            if (!part)
                m_drawn.insert(encodes ? encoderKind(net.substr(before.size())) : guides ? kGuider : kMotion);
            continue;
        }
        const auto found = part->model.found.stored.find(theirs);
        if (found == part->model.found.stored.end()) {
            missing.push_back(name);
            continue;
        }
        if (part->model.inFile(found->second)->shape != shapes[name].sizes().vec()) misshapen.push_back(name);
        used[&part->model].insert(theirs);
        m_places[name] = {&part->model, theirs};
    }
    std::vector<std::string> problems;
    if (!missing.empty()) problems.push_back(problemText("is missing", "are missing", missing));
    if (!misshapen.empty())
        problems.push_back(problemText("has another shape", "have another shape", misshapen));
    if (!problems.empty())
        refuse("does not have the weights of the run's model: " + join(problems, "; ") + ".",
               "dailies-train inspect says what it holds.");
    requireUsed(used);
}

void CharacterParts::requireUsed(const std::map<const PublishedModel*, std::set<std::string>>& used) const {
    const std::set<std::string> ends = {kReferenceNet, kMotion, kControlNet};  // whose outputs nobody reads
    std::vector<std::string> leftOver;
    for (const auto& part : m_parts) {
        if (part->kind == kMotion && !m_motionIsRead) continue;
        const auto names = used.find(&part->model);
        for (const auto& [name, stored] : part->model.found.stored) {
            const bool isUsed = names != used.end() && names->second.contains(name);
            const bool needless = isPosition(name) || (isOfMotion(name) && !m_motionIsRead) ||
                                  (isOutput(name) && ends.contains(part->kind)) ||
                                  (part->kind.starts_with(kEncoder) && isUnusedByChamp(name));
            if (!isUsed && !needless) leftOver.push_back(stored);
        }
    }
    if (!leftOver.empty())
        refuse(
            "has more than the run's model: " + problemText("is left over", "are left over", leftOver) + ".",
            "dailies-train inspect says what it holds.");
}

at::Tensor CharacterParts::read(const std::string& name) const {
    const auto place = m_places.find(name);
    return place == m_places.end() ? at::Tensor() : place->second.model->read(place->second.name);
}

std::string CharacterParts::text() const {
    std::vector<std::string> begun;
    const auto name = [](const Part& part) {
        return part.model.weights.name.empty() ? "its " + part.kind : part.model.weights.name;
    };
    if (m_unet) {
        if (m_reference)
            begun.push_back("the denoiser as " + name(*m_unet) + ", the ReferenceNet as " +
                            name(*m_reference));
        else
            begun.push_back("the denoiser and the ReferenceNet both as " + name(*m_unet));
    }
    if (m_motion && m_motionIsRead) begun.push_back("the motion modules as " + name(*m_motion));
    if (m_guider)
        begun.push_back("the pose guider as " +
                        (m_guider->kind == kControlNet ? "that of the ControlNet " : std::string()) +
                        name(*m_guider));
    for (const auto& [net, encoder] : m_encoders)
        begun.push_back("the " + encoder->kind + " as " + name(*encoder));
    auto text = "Of " + m_path.string() + " begin: " + join(begun, "; ") + ".";
    if (!m_drawn.empty()) text += " Drawn are: " + join({m_drawn.begin(), m_drawn.end()}, " and ") + ".";
    if (m_motion && !m_motionIsRead) text += " Motion modules are not read, because model.motion is none.";
    return text;
}

}  // namespace dailies::trainer::pretrained
