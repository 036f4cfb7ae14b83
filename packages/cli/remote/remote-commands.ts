import type { Command } from "commander";

type Remote = { server?: string | true; json: boolean };

const withRemote = (command: Command) =>
  command
    .option("-s, --server [url]", "the service (default: STEMWRIGHT_BASE_URL, key: STEMWRIGHT_API_KEY)")
    .option("--json", "JSON on standard output", false);

/** Commands for a service, loaded when they run. */
export function addRemoteCommands(program: Command): void {
  const tasks = program.command("tasks").description("look after the Tasks of a service");
  withRemote(tasks.command("list").description("the newest Tasks"))
    .option("-n, --number <count>", "how many", "20")
    .action(async (options: Remote & { number: string }) =>
      (await import("./tasks-commands.ts")).listTasks(options),
    );
  withRemote(tasks.command("show").description("one Task as JSON").argument("<id>")).action(
    async (id: string, options: Remote) => (await import("./tasks-commands.ts")).showTask(id, options),
  );
  withRemote(tasks.command("cancel").description("cancel a Task").argument("<id>")).action(
    async (id: string, options: Remote) => (await import("./tasks-commands.ts")).cancelTask(id, options),
  );
  withRemote(
    tasks.command("download").description("save all outputs of a Task").argument("<id>").argument("[folder]"),
  ).action(async (id: string, folder: string | undefined, options: Remote) =>
    (await import("./tasks-commands.ts")).downloadTask(id, { ...options, folder: folder ?? "." }),
  );

  program
    .command("webhooks")
    .description("receive webhooks while you develop")
    .command("listen")
    .description("print each webhook that arrives, and whether its signature is right")
    .option("-p, --port <port>", "port on 127.0.0.1; 0 picks a free one", "8090")
    .option("--secret <secret>", "of the webhook (default: STEMWRIGHT_WEBHOOK_SECRET)")
    .option("--json", "one JSON object a line", false)
    .addHelpText("after", "\nExamples:\n  $ stemwright webhooks listen --port 0 --secret whsec_c2VjcmV0\n")
    .action(async (options: { port: string; secret?: string; json: boolean }) =>
      (await import("./listen-to-webhooks.ts")).listenToWebhooks(options),
    );
}
