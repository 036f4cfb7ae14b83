import { homedir } from "node:os";
import { join } from "node:path";

/** The only reader of process.env in this package; empty means unset. */
const read = (name: string) => process.env[name] || undefined;

/** Checkpoints of unfinished work, and which weights were verified. */
export const cacheDir = () => join(read("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "stemwright");

export const findBaseUrl = () => read("STEMWRIGHT_BASE_URL");
export const findApiKey = () => read("STEMWRIGHT_API_KEY");
export const findWebhookSecret = () => read("STEMWRIGHT_WEBHOOK_SECRET");
/** Where the service on this machine keeps its data, as docs/settings.md says. */
export const dataDir = () =>
  read("DATA_DIR") ??
  (process.getuid?.() === 0
    ? "/var/lib/stemwright"
    : join(read("XDG_DATA_HOME") ?? join(homedir(), ".local/share"), "stemwright"));
export const servicePort = () => Number(read("PORT") ?? 8080);
export const serviceHost = () => read("HOST") ?? "127.0.0.1";
export const isDatabaseOutside = () => read("DATABASE_URL") !== undefined;
export const executionProvider = () => read("EXECUTION_PROVIDER") ?? "auto";
export const mediaSandbox = () => read("MEDIA_SANDBOX") ?? "required";

/** The networks that people added; for the command without a service, a folder of the user. */
export const modelsDir = () =>
  read("MODELS_DIR") ??
  join(
    read("DATA_DIR") ?? join(read("XDG_DATA_HOME") ?? join(homedir(), ".local/share"), "stemwright"),
    "models",
  );
