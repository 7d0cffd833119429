#include "tests/trainer/pretrained/published.h"

#include "trainer/serialization/binary_file.h"
#include "trainer/serialization/safetensors_header.h"

#include <regex>

namespace dailies::trainer::pretrained {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

/// Each name with the first pattern that it matches replaced.
NamedShapes renamed(NamedShapes tensors, const Rows& rows) {
    for (auto& [name, shape] : tensors)
        for (const auto& [pattern, text] : rows)
            if (const std::regex expression(pattern); std::regex_search(name, expression)) {
                name = std::regex_replace(name, expression, text);
                break;
            }
    return tensors;
}

}  // namespace

std::uint64_t writeHollow(const std::filesystem::path& path, const NamedShapes& tensors, const TypeOf& typeOf,
                          const std::map<std::string, std::string>& metadata) {
    SafetensorsHeader header;
    header.metadata = metadata;
    std::uint64_t offset = 0;
    for (const auto& [name, shape] : tensors) {
        const auto type = typeOf ? typeOf(name) : "BF16";
        const auto bytes =
            static_cast<std::uint64_t>(Box::whole(shape).elements()) * safetensorsTypeSize(type);
        header.tensors.push_back({name, type, shape, offset, offset + bytes});
        offset += bytes;
    }
    const auto begin = encodeSafetensorsHeader(header);
    BinaryFile::openForWrite(path).write(begin.data(), begin.size());
    std::filesystem::resize_file(path, begin.size() + offset);
    return begin.size() + offset;
}

// Written from Wan's own module trees (wan/modules/{model,vae,vae2_2,t5}.py), not from the maps under test.
NamedShapes wanOriginal(NamedShapes tensors) {
    return renamed(std::move(tensors),
                   {{R"(^(blocks\.\d+)\.scale_shift_table$)", "$1.modulation"},
                    {R"(^(blocks\.\d+)\.attn1\.to_(q|k|v)\.)", "$1.self_attn.$2."},
                    {R"(^(blocks\.\d+)\.attn1\.to_out\.0\.)", "$1.self_attn.o."},
                    {R"(^(blocks\.\d+)\.attn1\.)", "$1.self_attn."},
                    {R"(^(blocks\.\d+)\.attn2\.to_(q|k|v)\.)", "$1.cross_attn.$2."},
                    {R"(^(blocks\.\d+)\.attn2\.to_out\.0\.)", "$1.cross_attn.o."},
                    {R"(^(blocks\.\d+)\.attn2\.add_(k|v)_proj\.)", "$1.cross_attn.$2_img."},
                    {R"(^(blocks\.\d+)\.attn2\.norm_added_k\.)", "$1.cross_attn.norm_k_img."},
                    {R"(^(blocks\.\d+)\.attn2\.)", "$1.cross_attn."},
                    {R"(^(blocks\.\d+)\.norm2\.)", "$1.norm3."},
                    {R"(^(blocks\.\d+)\.ffn\.net\.0\.proj\.)", "$1.ffn.0."},
                    {R"(^(blocks\.\d+)\.ffn\.net\.2\.)", "$1.ffn.2."},
                    {R"(^scale_shift_table$)", "head.modulation"},
                    {R"(^proj_out\.)", "head.head."},
                    {R"(^condition_embedder\.time_embedder\.linear_1\.)", "time_embedding.0."},
                    {R"(^condition_embedder\.time_embedder\.linear_2\.)", "time_embedding.2."},
                    {R"(^condition_embedder\.time_proj\.)", "time_projection.1."},
                    {R"(^condition_embedder\.text_embedder\.linear_1\.)", "text_embedding.0."},
                    {R"(^condition_embedder\.text_embedder\.linear_2\.)", "text_embedding.2."},
                    {R"(^condition_embedder\.image_embedder\.norm1\.)", "img_emb.proj.0."},
                    {R"(^condition_embedder\.image_embedder\.ff\.net\.0\.proj\.)", "img_emb.proj.1."},
                    {R"(^condition_embedder\.image_embedder\.ff\.net\.2\.)", "img_emb.proj.3."},
                    {R"(^condition_embedder\.image_embedder\.norm2\.)", "img_emb.proj.4."},
                    {R"(^condition_embedder\.image_embedder\.pos_embed$)", "img_emb.emb_pos"}});
}

NamedShapes wanVaeOriginal(NamedShapes tensors, bool residual) {
    tensors = renamed(std::move(tensors), {{R"(\.norm1\.gamma$)", ".residual.0.gamma"},
                                           {R"(\.conv1\.(weight|bias)$)", ".residual.2.$1"},
                                           {R"(\.norm2\.gamma$)", ".residual.3.gamma"},
                                           {R"(\.conv2\.(weight|bias)$)", ".residual.6.$1"},
                                           {R"(\.conv_shortcut\.)", ".shortcut."}});
    tensors = renamed(std::move(tensors), {{R"(^(encoder|decoder)\.conv_in\.)", "$1.conv1."},
                                           {R"(^(encoder|decoder)\.norm_out\.)", "$1.head.0."},
                                           {R"(^(encoder|decoder)\.conv_out\.)", "$1.head.2."},
                                           {R"(\.mid_block\.resnets\.0\.)", ".middle.0."},
                                           {R"(\.mid_block\.attentions\.0\.)", ".middle.1."},
                                           {R"(\.mid_block\.resnets\.1\.)", ".middle.2."},
                                           {R"(^quant_conv\.)", "conv1."},
                                           {R"(^post_quant_conv\.)", "conv2."}});
    if (residual)
        return renamed(
            std::move(tensors),
            {{R"(^encoder\.down_blocks\.(\d)\.resnets\.)", "encoder.downsamples.$1.downsamples."},
             {R"(^encoder\.down_blocks\.(\d)\.downsampler\.)", "encoder.downsamples.$1.downsamples.2."},
             {R"(^decoder\.up_blocks\.(\d)\.resnets\.)", "decoder.upsamples.$1.upsamples."},
             {R"(^decoder\.up_blocks\.(\d)\.upsampler\.)", "decoder.upsamples.$1.upsamples.3."}});
    Rows rows = {{R"(^encoder\.down_blocks\.)", "encoder.downsamples."}};
    for (int level = 0; level < 4; ++level) {
        const auto theirs = R"(^decoder\.up_blocks\.)" + std::to_string(level);
        for (int i = 0; i < 3; ++i)
            rows.emplace_back(theirs + R"(\.resnets\.)" + std::to_string(i) + R"(\.)",
                              "decoder.upsamples." + std::to_string(4 * level + i) + ".");
        rows.emplace_back(theirs + R"(\.upsamplers\.0\.)",
                          "decoder.upsamples." + std::to_string(4 * level + 3) + ".");
    }
    return renamed(std::move(tensors), rows);
}

NamedShapes ltxVaeOriginal(NamedShapes tensors) {
    tensors = renamed(std::move(tensors), {{R"(\.resnets\.)", ".res_blocks."}});
    tensors = renamed(std::move(tensors),
                      {{R"(\.norm3\.)", ".norm3.norm."}, {R"(\.conv_shortcut\.conv\.)", ".conv_shortcut."}});
    return renamed(std::move(tensors),
                   {{R"(^decoder\.mid_block\.)", "decoder.up_blocks.0."},
                    {R"(^decoder\.up_blocks\.0\.upsamplers\.0\.)", "decoder.up_blocks.1."},
                    {R"(^decoder\.up_blocks\.0\.)", "decoder.up_blocks.2."},
                    {R"(^decoder\.up_blocks\.1\.upsamplers\.0\.)", "decoder.up_blocks.3."},
                    {R"(^decoder\.up_blocks\.1\.)", "decoder.up_blocks.4."},
                    {R"(^decoder\.up_blocks\.2\.upsamplers\.0\.)", "decoder.up_blocks.5."},
                    {R"(^decoder\.up_blocks\.2\.)", "decoder.up_blocks.6."},
                    {R"(^decoder\.time_embedder\.)", "decoder.last_time_embedder."},
                    {R"(^decoder\.scale_shift_table$)", "decoder.last_scale_shift_table"},
                    {R"(^encoder\.mid_block\.)", "encoder.down_blocks.9."},
                    {R"(^encoder\.down_blocks\.0\.downsamplers\.0\.)", "encoder.down_blocks.1."},
                    {R"(^encoder\.down_blocks\.0\.conv_out\.)", "encoder.down_blocks.2."},
                    {R"(^encoder\.down_blocks\.1\.downsamplers\.0\.)", "encoder.down_blocks.4."},
                    {R"(^encoder\.down_blocks\.1\.conv_out\.)", "encoder.down_blocks.5."},
                    {R"(^encoder\.down_blocks\.1\.)", "encoder.down_blocks.3."},
                    {R"(^encoder\.down_blocks\.2\.downsamplers\.0\.)", "encoder.down_blocks.7."},
                    {R"(^encoder\.down_blocks\.2\.)", "encoder.down_blocks.6."},
                    {R"(^encoder\.down_blocks\.3\.)", "encoder.down_blocks.8."},
                    {R"(^latents_mean$)", "per_channel_statistics.mean-of-means"},
                    {R"(^latents_std$)", "per_channel_statistics.std-of-means"}});
}

NamedShapes sdVaeOriginal(NamedShapes tensors) {
    Rows rows = {{R"(\.mid_block\.resnets\.0\.)", ".mid.block_1."},
                 {R"(\.mid_block\.resnets\.1\.)", ".mid.block_2."},
                 {R"(\.mid_block\.attentions\.0\.group_norm\.)", ".mid.attn_1.norm."},
                 {R"(\.mid_block\.attentions\.0\.to_out\.0\.)", ".mid.attn_1.proj_out."},
                 {R"(\.mid_block\.attentions\.0\.to_)", ".mid.attn_1."},
                 {R"(\.conv_norm_out\.)", ".norm_out."}};
    tensors = renamed(std::move(tensors), {{R"(\.conv_shortcut\.)", ".nin_shortcut."}});
    tensors = renamed(std::move(tensors), rows);
    tensors = renamed(std::move(tensors), {{R"(^encoder\.down_blocks\.(\d)\.)", "encoder.down.$1."},
                                           {R"(^decoder\.up_blocks\.0\.)", "decoder.up.3."},
                                           {R"(^decoder\.up_blocks\.1\.)", "decoder.up.2."},
                                           {R"(^decoder\.up_blocks\.2\.)", "decoder.up.1."},
                                           {R"(^decoder\.up_blocks\.3\.)", "decoder.up.0."}});
    return renamed(std::move(tensors), {{R"(^(encoder\.down|decoder\.up)\.(\d)\.resnets\.)", "$1.$2.block."},
                                        {R"(\.downsamplers\.0\.)", ".downsample."},
                                        {R"(\.upsamplers\.0\.)", ".upsample."}});
}

NamedShapes sdVaeDiffusers016(NamedShapes tensors) {
    return renamed(std::move(tensors), {{R"(\.attentions\.0\.to_q\.)", ".attentions.0.query."},
                                        {R"(\.attentions\.0\.to_k\.)", ".attentions.0.key."},
                                        {R"(\.attentions\.0\.to_v\.)", ".attentions.0.value."},
                                        {R"(\.attentions\.0\.to_out\.0\.)", ".attentions.0.proj_attn."}});
}

NamedShapes unetOriginal(NamedShapes tensors) {
    tensors = renamed(std::move(tensors), {{R"((resnets\.\d)\.norm1\.)", "$1.in_layers.0."},
                                           {R"((resnets\.\d)\.conv1\.)", "$1.in_layers.2."},
                                           {R"((resnets\.\d)\.time_emb_proj\.)", "$1.emb_layers.1."},
                                           {R"((resnets\.\d)\.norm2\.)", "$1.out_layers.0."},
                                           {R"((resnets\.\d)\.conv2\.)", "$1.out_layers.3."},
                                           {R"((resnets\.\d)\.conv_shortcut\.)", "$1.skip_connection."}});
    Rows rows = {{R"(^conv_in\.)", "input_blocks.0.0."},
                 {R"(^time_embedding\.linear_1\.)", "time_embed.0."},
                 {R"(^time_embedding\.linear_2\.)", "time_embed.2."},
                 {R"(^conv_norm_out\.)", "out.0."},
                 {R"(^conv_out\.)", "out.2."},
                 {R"(^mid_block\.resnets\.0\.)", "middle_block.0."},
                 {R"(^mid_block\.attentions\.0\.)", "middle_block.1."},
                 {R"(^mid_block\.resnets\.1\.)", "middle_block.2."}};
    for (int level = 0; level < 4; ++level) {
        const auto down = R"(^down_blocks\.)" + std::to_string(level) + R"(\.)",
                   up = R"(^up_blocks\.)" + std::to_string(level) + R"(\.)";
        for (int i = 0; i < 3; ++i) {
            const auto place = R"(\.)" + std::to_string(i) + R"(\.)";
            const auto in = "input_blocks." + std::to_string(1 + 3 * level + i),
                       out = "output_blocks." + std::to_string(3 * level + i);
            rows.emplace_back(down + "resnets" + place, in + ".0.");
            rows.emplace_back(down + "attentions" + place, in + ".1.");
            rows.emplace_back(up + "resnets" + place, out + ".0.");
            rows.emplace_back(up + "attentions" + place, out + ".1.");
        }
        rows.emplace_back(down + R"(downsamplers\.0\.conv\.)",
                          "input_blocks." + std::to_string(3 + 3 * level) + ".0.op.");
        // the first level of the way up has no attention before it
        rows.emplace_back(up + R"(upsamplers\.0\.)",
                          "output_blocks." + std::to_string(2 + 3 * level) + (level == 0 ? ".1." : ".2."));
    }
    return renamed(std::move(tensors), rows);
}

NamedShapes videoUnetOriginal(NamedShapes tensors) {
    const std::string inTime = R"((resnets\.\d)\.temporal_res_block\.)", theirs = "$1.time_stack.";
    return unetOriginal(renamed(
        std::move(tensors), {{inTime + R"(norm1\.)", theirs + "in_layers.0."},
                             {inTime + R"(conv1\.)", theirs + "in_layers.2."},
                             {inTime + R"(time_emb_proj\.)", theirs + "emb_layers.1."},
                             {inTime + R"(norm2\.)", theirs + "out_layers.0."},
                             {inTime + R"(conv2\.)", theirs + "out_layers.3."},
                             {R"((resnets\.\d)\.spatial_res_block\.)", "$1."},
                             {R"((attentions\.\d)\.temporal_transformer_blocks\.0\.)", "$1.time_stack.0."},
                             {R"(time_pos_embed\.linear_1\.)", "time_pos_embed.0."},
                             {R"(time_pos_embed\.linear_2\.)", "time_pos_embed.2."},
                             {R"(^add_embedding\.linear_1\.)", "label_emb.0.0."},
                             {R"(^add_embedding\.linear_2\.)", "label_emb.0.2."}}));
}

NamedShapes motionOriginal(NamedShapes tensors) {
    const std::string block = R"((motion_modules\.\d)\.transformer_blocks\.0\.)",
                      theirs = "$1.temporal_transformer.transformer_blocks.0.";
    return renamed(std::move(tensors),
                   {{R"((motion_modules\.\d)\.(norm|proj_in|proj_out)\.)", "$1.temporal_transformer.$2."},
                    {block + R"(norm1\.)", theirs + "norms.0."},
                    {block + R"(norm2\.)", theirs + "norms.1."},
                    {block + R"(norm3\.)", theirs + "ff_norm."},
                    {block + R"(attn1\.)", theirs + "attention_blocks.0."},
                    {block + R"(attn2\.)", theirs + "attention_blocks.1."},
                    {block + R"(ff\.)", theirs + "ff."}});
}

NamedShapes umt5Original(NamedShapes tensors) {
    std::erase_if(tensors, [](const NamedShape& each) { return each.name == "encoder.embed_tokens.weight"; });
    const std::string block = R"(^encoder\.block\.(\d+)\.layer\.)";
    return renamed(std::move(tensors), {{"^shared\\.", "token_embedding."},
                                        {R"(^encoder\.final_layer_norm\.)", "norm."},
                                        {block + R"(0\.SelfAttention\.relative_attention_bias\.)",
                                         "blocks.$1.pos_embedding.embedding."},
                                        {block + R"(0\.SelfAttention\.)", "blocks.$1.attn."},
                                        {block + R"(0\.layer_norm\.)", "blocks.$1.norm1."},
                                        {block + R"(1\.layer_norm\.)", "blocks.$1.norm2."},
                                        {block + R"(1\.DenseReluDense\.wi_0\.)", "blocks.$1.ffn.gate.0."},
                                        {block + R"(1\.DenseReluDense\.wi_1\.)", "blocks.$1.ffn.fc1."},
                                        {block + R"(1\.DenseReluDense\.wo\.)", "blocks.$1.ffn.fc2."}});
}

NamedShapes withPrefix(const NamedShapes& tensors, const std::string& prefix) {
    auto all = tensors;
    for (auto& each : all) each.name = prefix + each.name;
    return all;
}

std::int64_t parametersOf(const NamedShapes& tensors) {
    std::int64_t parameters = 0;
    for (const auto& each : tensors) parameters += Box::whole(each.shape).elements();
    return parameters;
}

}  // namespace dailies::trainer::pretrained
