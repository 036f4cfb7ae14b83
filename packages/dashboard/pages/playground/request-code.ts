import type { TargetInput } from "@stemwright/sdk";
import { quoteForShell } from "../../parts/quote-for-shell.ts";
import { isAddress } from "./choice.ts";

/** The request to write as code. */
export type CodeRequest = {
  baseUrl: string;
  /** A file name or URL. */
  input: string;
  targets: readonly TargetInput[];
  /** The name of the text to align, if there is one. */
  transcript: string | undefined;
};

export const LANGUAGES = ["curl", "TypeScript", "Python", "CLI"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A name that begins with a hyphen would be an option. */
const toPath = (name: string) => (name.startsWith("-") ? `./${name}` : name);

/** Written without quotes: a variable of the language. */
class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Style = { isKeyQuoted: boolean; yes: string; no: string };
const JSON_STYLE: Style = { isKeyQuoted: true, yes: "true", no: "false" };

/** A value on one line, as one would write it by hand. */
function writeValue(value: unknown, style: Style): string {
  if (value instanceof Code) return value.text;
  if (Array.isArray(value)) return `[${value.map((item) => writeValue(item, style)).join(", ")}]`;
  if (typeof value === "boolean") return value ? style.yes : style.no;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${style.isKeyQuoted ? `"${name}"` : name}: ${writeValue(field, style)}`,
  );
  return style.isKeyQuoted ? `{${fields.join(", ")}}` : `{ ${fields.join(", ")} }`;
}

/** A list with one line per target. */
const writeTargets = (
  request: CodeRequest,
  options: { transcriptId: string; style: Style; indent: string },
) =>
  [
    "[",
    ...withTranscript(request, new Code(options.transcriptId)).map(
      (target) => `${options.indent}  ${writeValue(target, options.style)},`,
    ),
    `${options.indent}]`,
  ].join("\n");

function withTranscript({ targets, transcript }: CodeRequest, id: unknown): unknown[] {
  return targets.map((target) =>
    transcript !== undefined && target.model === "alignment" ? { ...target, transcriptAssetId: id } : target,
  );
}

/** Marks a shell variable in JSON, which never contains this character itself. */
const toMark = (variable: string) => `"\0${variable}\0"`;

/** A part of a form; curl takes a semicolon or comma in a bare name for an option. */
const toFormPart = (file: string) =>
  /[;,"\\]/.test(file) ? `file=@"${toPath(file).replaceAll(/["\\]/g, "\\$&")}"` : `file=@${toPath(file)}`;

function toCurl(request: CodeRequest): string {
  const { baseUrl, input, transcript } = request;
  const upload = (file: string) =>
    `curl -s -H "x-api-key: $STEMWRIGHT_API_KEY" -F ${quoteForShell(toFormPart(file))} ${quoteForShell(`${baseUrl}/assets`)} | jq -r .id`;
  const lines: string[] = [];
  const isUploaded = !isAddress(input);
  if (isUploaded) lines.push(`ASSET_ID=$(${upload(input)})`);
  if (transcript !== undefined) lines.push(`TRANSCRIPT_ID=$(${upload(transcript)})`);
  const source = isUploaded ? `"assetId": ${toMark("ASSET_ID")}` : `"url": ${JSON.stringify(input)}`;
  const targets = writeTargets(request, {
    transcriptId: toMark("TRANSCRIPT_ID"),
    style: JSON_STYLE,
    indent: "  ",
  });
  // JSON allows no trailing comma.
  const body = `{\n  ${source},\n  "targets": ${targets.replace(/,(\n\s*\])$/, "$1")}\n}`;
  // The ids go between two quoted strings, where the shell expands them.
  const data = quoteForShell(body).replaceAll(/\0(\w+)\0/g, `'"$$$1"'`);
  lines.push(
    `curl -s -H "x-api-key: $STEMWRIGHT_API_KEY" -H "content-type: application/json" \\\n  ${quoteForShell(`${baseUrl}/tasks`)} -d ${data}`,
  );
  return lines.join("\n");
}

function toTypeScript(request: CodeRequest): string {
  const { baseUrl, input, transcript } = request;
  const style = { isKeyQuoted: false, yes: "true", no: "false" };
  const targets = writeTargets(request, { transcriptId: "transcript.id", style, indent: "" });
  return [
    `import { Stemwright } from "@stemwright/sdk";`,
    "",
    `const client = new Stemwright({ baseUrl: ${JSON.stringify(baseUrl)} }); // key: STEMWRIGHT_API_KEY`,
    ...(transcript === undefined
      ? []
      : [`const transcript = await client.assets.upload(${JSON.stringify(transcript)});`]),
    `const task = await client.tasks.run(${JSON.stringify(input)}, ${targets});`,
    `await client.tasks.saveAll(task, "stems");`,
  ].join("\n");
}

function toPython(request: CodeRequest): string {
  const { baseUrl, input, transcript } = request;
  const style = { isKeyQuoted: true, yes: "True", no: "False" };
  const targets = writeTargets(request, { transcriptId: 'transcript["id"]', style, indent: "    " });
  return [
    "from stemwright import Stemwright",
    "",
    `client = Stemwright(base_url=${JSON.stringify(baseUrl)})  # key: STEMWRIGHT_API_KEY`,
    ...(transcript === undefined ? [] : [`transcript = client.assets.upload(${JSON.stringify(transcript)})`]),
    "task = client.tasks.run(",
    `    ${JSON.stringify(input)},`,
    `    ${targets},`,
    ")",
    `client.tasks.save_all(task, "stems")`,
  ].join("\n");
}

/** The command for a model; all others are stems. */
const COMMANDS: Record<string, string> = {
  transcription: "transcribe",
  alignment: "align",
  music_detection: "detect",
  music_analysis: "analyze",
  multi_voice: "voices",
};

/** The command aligns a given text; without one it transcribes. */
const findCommand = ({ model }: TargetInput, { transcript }: CodeRequest) =>
  model === "alignment" && transcript === undefined ? "transcribe" : (COMMANDS[model] ?? "separate");

/** Options that a command takes once for all its stems. */
const toSharedOptions = ({ formats, residual = false, variant = "" }: TargetInput) =>
  JSON.stringify([formats, residual, variant]);

function toCommand(command: string, targets: readonly TargetInput[], request: CodeRequest): string {
  const [first] = targets;
  const words = ["stemwright", command, toPath(request.input)];
  if (command === "separate") words.push("--stems", targets.map(({ model }) => model).join(","));
  words.push("--format", first?.formats.join(",") ?? "");
  if (first?.residual) words.push("--residual");
  if (first?.variant === "high_quality") words.push("--high-quality");
  if (first?.variant === "n_speaker") words.push("--speakers", "n");
  if (first?.language !== undefined) words.push("--language", first.language);
  if (command === "align" && request.transcript !== undefined) words.push("--text", request.transcript);
  return [...words, "--server", request.baseUrl].map(quoteForShell).join(" ");
}

/** Fields of a target for which the command has no options; it says so. */
export const SERVICE_ONLY = [
  "speakers",
  "speakerNames",
  "keywords",
  "prompt",
  "translate",
  "maxLineLength",
  "maxLines",
  "fileTimeline",
] as const satisfies readonly (keyof TargetInput)[];

/** One command per kind of work, and per set of options for stems. */
function toCli(request: CodeRequest): string {
  const groups = Map.groupBy(
    request.targets,
    (target) => `${findCommand(target, request)} ${toSharedOptions(target)}`,
  );
  const lines = [...groups].map(([key, targets]) => toCommand(key.split(" ")[0] ?? "", targets, request));
  const hasDepth = request.targets.some(({ bitDepth = 32 }) => bitDepth !== 32);
  const left = SERVICE_ONLY.filter((name) => request.targets.some((target) => target[name] !== undefined));
  return [
    ...(hasDepth ? ["# The command writes wav files with 32 bits."] : []),
    ...(left.length > 0 ? [`# The command has no options for ${left.join(", ")}.`] : []),
    ...lines,
  ].join("\n");
}

const WRITERS: Record<Language, (request: CodeRequest) => string> = {
  curl: toCurl,
  TypeScript: toTypeScript,
  Python: toPython,
  CLI: toCli,
};

/** A terminal takes some control characters of a pasted name for keys, such as Ctrl+C. */
const showControls = (name: string) => name.replaceAll(/\p{Cc}/gu, "?");

/** The request in one of the languages, ready to paste. */
export const writeCode = (language: Language, request: CodeRequest) =>
  WRITERS[language]({ ...request, input: showControls(request.input) });
