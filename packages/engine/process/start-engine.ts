import { type ChildProcess, fork, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { findCompileCachePath } from "../compile-cache.ts";
import { listWeightsFiles, loadManifests, MANIFESTS_FOLDER, SPEECH_NETWORKS } from "../manifests/manifest.ts";
import { findWeightsPath } from "../runtime/weights-file.ts";
import type { ConfinementReport } from "../sandbox/confine-engine.ts";
import { listEngineFolders } from "../sandbox/engine-folders.ts";
import { loadSandboxCommand, SANDBOX_ENVIRONMENT } from "../sandbox/sandbox-command.ts";
import type { ConfinedStart } from "./confined-start.ts";
import { ENGINE_FLAGS, makeEngineEnvironment } from "./engine-environment.ts";
import type { EngineMessage } from "./engine-message.ts";
import { type EngineNeeds, Grants } from "./engine-needs.ts";

/** TypeScript in a checkout, JavaScript in the published package. */
const toProgram = (name: string) => join(import.meta.dirname, `${name}${extname(import.meta.filename)}`);

export type EngineChild = {
  process: ChildProcess;
  /** Settles when it reads its channel; never if it dies before. */
  started: Promise<ConfinementReport | undefined>;
  hasStarted(): boolean;
  /** Why it could not be started. */
  failure(): Error | undefined;
  grants: Grants;
};

/** Where an engine child keeps what it may write: verified weights, measured providers, what drivers compile. */
export const toNetworkCacheDir = (cacheDir: string) => join(cacheDir, "networks");

/** Starts the engine with no more than it needs: these folders, the models, its caches, and devices if it uses a GPU. */
export async function startEngine(options: {
  needs: EngineNeeds;
  modelsDir: string | undefined;
  cacheDir: string | undefined;
  usesGpu: boolean;
  /** Root may open files of others in the folders it was given; a service has no such files. */
  opensFilesOfOthers: boolean;
}): Promise<EngineChild> {
  const { needs, modelsDir, cacheDir, usesGpu, opensFilesOfOthers } = options;
  const ownCache = cacheDir === undefined ? undefined : toNetworkCacheDir(cacheDir);
  const compileCache = findCompileCachePath("engine");
  const caches = [ownCache, compileCache].filter((path) => path !== undefined);
  for (const path of caches) mkdirSync(path, { recursive: true, mode: 0o700 });
  const environment = {
    ...makeEngineEnvironment(usesGpu && ownCache !== undefined ? { driverCacheDir: ownCache } : {}),
    ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }),
  };
  const folders = listEngineFolders({ environment, models: listModelFolders(modelsDir), caches, usesGpu });
  const [command, ...words] = await loadSandboxCommand();
  const start: ConfinedStart = {
    confinement: {
      folders: {
        ...folders,
        read: [...folders.read, ...needs.read],
        write: [...folders.write, ...needs.write],
      },
      namespaces: command,
      opensFilesOfOthers,
    },
    environment,
    flags: [...ENGINE_FLAGS],
  };
  const child = process.platform === "linux" ? spawnConfined(start, command, words) : forkPlain(environment);
  let failure: Error | undefined;
  // A request in progress has its own listener as well.
  child.on("error", (error) => {
    failure = error;
  });
  if (!child.channel) throw new Error("the engine process cannot be started: out of file descriptors");
  const { promise, resolve } = Promise.withResolvers<ConfinementReport | undefined>();
  let hasStarted = false;
  child.on("message", (message: EngineMessage) => {
    if (message.kind !== "started") return;
    hasStarted = true;
    resolve(message.confinement);
  });
  return {
    process: child,
    started: promise,
    hasStarted: () => hasStarted,
    failure: () => failure,
    grants: new Grants(needs),
  };
}

function spawnConfined(
  start: ConfinedStart,
  command: string | undefined,
  words: readonly string[],
): ChildProcess {
  const cachePath = findCompileCachePath();
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", toProgram("confined-start")];
  const [program = process.execPath, ...args] = command === undefined ? node : [command, ...words, ...node];
  return spawn(program, args, {
    env: {
      ...SANDBOX_ENVIRONMENT,
      // Not the engine's, which a confined process writes: this program is not confined yet.
      ...(cachePath === undefined ? {} : { NODE_COMPILE_CACHE: cachePath }),
      STEMWRIGHT_START: JSON.stringify(start),
    },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

/** Other systems have none of the layers. */
function forkPlain(environment: Record<string, string>): ChildProcess {
  return fork(toProgram("engine-child"), [], {
    execArgv: [...ENGINE_FLAGS],
    env: environment,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

/** The manifests, and the folders of their weights. The one of added networks as a whole: some may come while the engine runs. */
function listModelFolders(modelsDir: string | undefined): string[] {
  const manifests = SPEECH_NETWORKS.flatMap((speechNetwork) => loadManifests({ speechNetwork }));
  const paths = manifests.flatMap(listWeightsFiles).flatMap((weights) => findWeightsPath(weights) ?? []);
  const added = modelsDir === undefined ? [] : [modelsDir];
  return [MANIFESTS_FOLDER, ...added, ...new Set(paths.map((path) => dirname(path)))];
}
