#include "core/base/error.h"
#include "core/base/stdout_guard.h"
#include "core/base/text.h"
#include "trainer/cli/verbs.h"
#include "trainer/parallel/layout_mismatch.h"

#include <c10/util/Exception.h>

#include <iostream>

namespace dailies::trainer {

namespace {

struct Verb {
    const char* name;
    int (*run)(const Args& args);
    const char* args;
    const char* does;
};

constexpr Verb kVerbs[] = {
    {"train", train, "--config config.json [--run-dir DIR]", "train, or go on from the newest checkpoint"},
    {"sample", sample,
     "--run-dir DIR --checkpoint DIR… --prompts FILE [--prompt TEXT] [--negative-prompt TEXT]\n"
     "                       [--embeddings FILE…] [--given FILE] [--last FILE] [--reference FILE]\n"
     "                       [--poses FILE] [--reference-pose FILE] [--align-poses true]\n"
     "                       [--seeds 0..3] [--guidance 1,3] [--steps 20] [--strength 0,0.5,1]\n"
     "                       [--frames N] [--overlap N] [--blend linear|progressive|uniform|triangle]",
     "make clips of a checkpoint again, or go on with what is missing; or --config job.json"},
    {"score", score,
     "--run-dir DIR --scorer FILE --run DIR [--name NAME] [--steps 1000,2000]\n"
     "                      [--reference DIR] [--cache DIR]",
     "give the clips of a run to a TorchScript module; or --config job.json"},
    {"train-vae", trainVae, "--config config.json [--run-dir DIR]",
     "train the causal VAE of tokenizer.kind vae, or go on"},
    {"cache", cache, "--config config.json [--run-dir DIR]",
     "encode all clips of the data with the tokenizer, once, for training to read"},
    {"curate", curate,
     "FILMS… --out DIR [--config FILE] [--threads N] [--write-clips] [--write-previews] | --job config.json",
     "cut films into clips and say which to keep: DIR/clips.jsonl; again, it goes on with what is missing"},
    {"caption", caption,
     "DIR --server URL | --serve COMMAND [--model NAME] [--prompt TEXT] [--frames 8] [--max-side 448]\n"
     "                        [--max-tokens 256] [--temperature 0.2] [--parallel 8] [--again] | --job "
     "config.json",
     "ask an OpenAI-compatible server for a caption of each clip that a curation keeps; again, it goes on"},
    {"score-clips", scoreClips,
     "DIR --scorer FILE [--name NAME] [--frames 32] [--max-side 1024] [--threads 4] | --job config.json",
     "give the clips that a curation keeps to a TorchScript module, whose numbers its rules may use; again, "
     "it\n"
     "      goes on"},
    {"shard", shard, "DIR --out SHARDS [--size-mib 1024] [--threads N] | --job config.json",
     "pack the clips that a curation keeps into WebDataset shards; again, it adds those that are kept "
     "since,\n"
     "      and excludes those that are dropped since without rewriting a shard"},
    {"batch", batch, "--run-dir DIR --run DIR --steps 1,500 [--rank R --ranks N] [--clips 16]",
     "show the clips of steps of a run as a rank's model sees them, with their noise; or --config job.json"},
    {"data", data, "--config config.json [--json]",
     "report what the data hold: clips used and dropped, buckets, steps of an epoch"},
    {"plan", plan,
     "--config config.json [--ranks N] [--gpu] [--json] [--rehearse [--ranks-per-node N]]\n"
     "                     [--nodes N [--gpus-per-node G] [--gpu-type h100] [--rates preflight.json] "
     "[--price P]]",
     "say how much memory each rank will need, without training; with --rehearse, make one step of every\n"
     "      rank without memory: whether their collectives agree, and what they send; with --nodes, list "
     "the\n"
     "      layouts that these nodes could have, fastest first"},
    {"preflight", preflight,
     "--folder DIR [--nodes n1,n2] [--budget 90s] [--threads N]\n"
     "                          [--conclude [--run-dir DIR] [--gives-up]]",
     "measure the nodes of a job against each other, one process a GPU or node, under srun; with "
     "--conclude,\n"
     "      print the nodes to leave out"},
    {"inspect", inspect, "PATH [--json]",
     "say what weights are, ours or published ones, a file or a folder as it lies: family, sizes, types, "
     "what\n"
     "      is missing, which programs read them; exit 1 where something is missing or broken"},
    {"export", exportWeights,
     "CHECKPOINT OUT [--average] [--merged] [--format safetensors|diffusers] [--dtype fp32|bf16]",
     "write a checkpoint's weights for Python: a file OUT.safetensors, or a folder that diffusers loads;\n"
     "      of an adapter its factors, or with --merged its base with them multiplied out"},
    {"best", best, "--metric NAME [--goal minimize|maximize] RUN…",
     "print the newest checkpoint of the run whose newest value of the metric is best"},
    {"schema", schema, "", "print every key of the configuration"},
};

void printUsage(std::ostream& out) {
    out << "dailies-train " DAILIES_VERSION ", the trainer of Dailies\n\n";
    for (const auto& verb : kVerbs)
        out << "  dailies-train " << verb.name << ' ' << verb.args << "\n      " << verb.does << '\n';
    out << "\nThe run directory is the config's own folder unless --run-dir names another. Exit status: 0 "
           "done or "
           "stopped\nwith a checkpoint, 1 the work failed, 2 the words or the input were wrong.\n";
}

int run(const Args& args) {
    const std::string name = args.empty() ? "" : args[0];
    for (const auto& verb : kVerbs)
        if (name == verb.name) return verb.run({args.begin() + 1, args.end()});
    const bool asked = name == "help" || name == "--help" || name == "-h";
    printUsage(asked ? std::cout : std::cerr);
    return asked ? kDone : kBadInput;
}

}  // namespace

std::string messageOf(const std::exception& error) {
    if (const auto* ours = dynamic_cast<const Error*>(&error)) return ours->full();
    if (const auto* torch = dynamic_cast<const c10::Error*>(&error)) return torch->what_without_backtrace();
    return error.what();
}

int report(const std::exception& error) {
    const auto* unproven = dynamic_cast<const LayoutMismatchError*>(&error);
    if (unproven && !unproven->tells()) return kUnproven;
    std::cerr << "dailies-train: " << sanitizedText(messageOf(error)) << std::endl;
    if (unproven) return kUnproven;
    return dynamic_cast<const InputError*>(&error) ? kBadInput : kFailed;
}

int runCommandLine(const Args& args) {
    StdoutGuard output;
    try {
        const int status = run(args);
        output.finish();
        return status;
    } catch (const std::exception& error) {
        return report(error);
    }
}

}  // namespace dailies::trainer
