#pragma once

#include "trainer/models/model_family.h"
#include "trainer/pretrained/published_model.h"

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// What is published of the nets of Animate Anyone (`model.family` animate), each told by what it holds:
/// U-Nets of Stable Diffusion 1, of which the ReferenceNet lacks outputs or is called so, motion modules,
/// pose guiders, ControlNets, which have one, and Champ's guidance encoders, of which files or folders tell
/// the type (guidance_encoder_depth.pth). Without a ReferenceNet both nets begin as the U-Net. Motion modules
/// and guiders that are not there are drawn.
class CharacterParts {
public:
    /// `path`: where they lie; errors begin with it.
    explicit CharacterParts(std::filesystem::path path) : m_path(std::move(path)) {}

    /// What `isCharacterPart` is of.
    void add(PublishedModel part);
    bool empty() const { return m_parts.empty(); }
    /// Where the parts lie that are more than motion modules.
    std::vector<std::string> netNames() const;

    /// Finds all weights of the model but those `given`. Throws `InputError` with names where a part is not
    /// whole, is of other sizes than the model's, or is there twice.
    void fit(const Model& model, const std::set<std::string>& given);

    /// A weight of the model that was fitted: float32, on the CPU; undefined where it is given or to be
    /// drawn. Throws `InputError` where it is not finite.
    at::Tensor read(const std::string& name) const;

    /// What the nets begin with, and what is drawn or not read: sentences for the run's log.
    std::string text() const;

private:
    struct Part {
        PublishedModel model;
        std::string kind;  ///< "U-Net", "ReferenceNet", "motion modules", "guidance encoder of depth", …
    };
    struct Place {
        const PublishedModel* model = nullptr;
        std::string name;  ///< there
    };

    const Part* only(const std::set<std::string>& kinds) const;
    void requireSizes(const ModelShape& shape) const;
    void requireUsed(const std::map<const PublishedModel*, std::set<std::string>>& used) const;
    [[noreturn]] void refuse(const std::string& what, const std::string& remedy = {}) const;

    std::filesystem::path m_path;
    std::vector<std::unique_ptr<Part>> m_parts;
    const Part *m_unet = nullptr, *m_reference = nullptr, *m_motion = nullptr, *m_guider = nullptr;
    std::map<std::string, const Part*> m_encoders;  ///< by the nets that they are (guidanceEncoderName)
    std::map<std::string, Place> m_places;          ///< by the names of the model's weights
    std::set<std::string> m_drawn;                  ///< kinds of parts that are not there
    bool m_motionIsRead = true;
};

}  // namespace dailies::trainer::pretrained
