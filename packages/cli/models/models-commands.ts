import type { Command } from "commander";
import type { AddOptions } from "./add-checkpoint.ts";

const collect = (value: string, before: readonly string[]) => [...before, value];

/** Models installed here, and the networks that people add. Loaded when a command runs, so that help and completion start fast. */
export function addModelsCommands(program: Command): void {
  const models = program
    .command("models")
    .enablePositionalOptions()
    .description("list the models installed here, or those of a service (--server); add networks of your own")
    .option("-s, --server [url]", "the service (default: STEMWRIGHT_BASE_URL, key: STEMWRIGHT_API_KEY)")
    .option("--json", "JSON on standard output", false)
    .addHelpText("after", "\nExamples:\n  $ stemwright models\n  $ stemwright models --json\n")
    .action(async (options: { server?: string | true; json: boolean }) =>
      (await import("../remote/list-models.ts")).listModels(options),
    );

  models
    .command("add")
    .description(
      "add a network: a checkpoint (.ckpt, .pt, .pth, .th, .bin, .safetensors, .onnx) or a Demucs bag (.yaml)",
    )
    .argument("<path>", "a file, a URL, or a name that `stemwright models known` lists")
    .option("-c, --config <path>", "its configuration (YAML): a file or a URL")
    .option("--id <id>", "how it is called here; by default after the file")
    .option("--name <text>", "its full name")
    .option("--licence <text>", "what its publisher allows")
    .option(
      "--serve <model=stem>",
      "what a stem serves; MODEL=-STEM: the input without it (repeatable)",
      collect,
      [],
    )
    .option("--default", "prefer it for all models that it serves", false)
    .option("-y, --yes", "do not ask before a download by name", false)
    .action(async (given: string, options: AddOptions) =>
      (await import("./add-checkpoint.ts")).addCheckpoint(given, options),
    );

  const withId = (name: string, description: string) =>
    models.command(name).description(description).argument("<id>");
  models
    .command("list")
    .description("the networks that were added")
    .option("--json", "one JSON object a line", false)
    .action(async (options: { json: boolean }) => (await import("./show-networks.ts")).listNetworks(options));
  withId("show", "everything about an added network, as JSON").action(async (id: string) =>
    (await import("./show-networks.ts")).showNetwork(id),
  );
  withId("check", "separate 10 s with an added network: speed, memory, sums")
    .option("--json", "JSON on standard output", false)
    .action(async (id: string, options: { json: boolean }) =>
      (await import("./check-added-network.ts")).checkAddedNetwork(id, options),
    );
  withId("remove", "remove an added network").action(async (id: string) =>
    (await import("./show-networks.ts")).removeAddedNetwork(id),
  );
  models
    .command("default")
    .description("which network serves a model, where several do")
    .argument("<model>")
    .argument("<id>")
    .action(async (model: string, id: string) =>
      (await import("./show-networks.ts")).chooseDefault(model, id),
    );
  models
    .command("known")
    .description("checkpoints that people use: stems, scores, licences, and where their makers publish them")
    .option("--json", "one JSON object a line", false)
    .addHelpText("after", "\nExamples:\n  $ stemwright models known\n")
    .action(async (options: { json: boolean }) => (await import("./show-networks.ts")).listKnown(options));
}
