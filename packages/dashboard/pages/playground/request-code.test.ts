import { execFileSync, spawnSync } from "node:child_process";
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, it } from "vitest";
import { type CodeRequest, LANGUAGES, writeCode } from "./request-code.ts";

const SIMPLE: CodeRequest = {
  baseUrl: "https://stems.example/audio",
  input: "song.mp3",
  targets: [
    { model: "vocals", formats: ["wav"], variant: "high_quality", residual: true },
    { model: "drums", formats: ["wav", "mp3"] },
  ],
  transcript: undefined,
};
const HARD: CodeRequest = {
  baseUrl: "http://192.168.1.5:8080",
  input: `It's "mine" $HOME.mp3`,
  targets: [
    { model: "alignment", formats: ["lrc"], language: "en" },
    { model: "transcription", formats: ["srt"] },
  ],
  transcript: "transcript.txt",
};

const COMMAND = "; touch /tmp/x #";
/** Every value is one that a shell would obey if it were not quoted. */
const HOSTILE: CodeRequest = {
  baseUrl: "https://stems.example/$(id)",
  input: `-F;type="a",$(id)\\'${COMMAND}`,
  targets: [
    {
      model: "transcription",
      formats: [`srt${COMMAND}`, "$(id)"],
      language: `en${COMMAND} $TRANSCRIPT_ID`,
    },
    { model: `$(id)${COMMAND}`, formats: ["wav"] },
    { model: "alignment", formats: ["lrc"], language: "`id`" },
  ],
  transcript: `--text${COMMAND}`,
};

/** The words of each command that code for a shell runs; the commands print their words, and ids. */
function runInShell(code: string): string[][] {
  const print = `{ for word; do printf '%s\\0' "$word" >&2; done; printf '\\n\\0' >&2; echo id; }`;
  const script = `curl() ${print}\nstemwright() ${print}\njq() { cat; }\n${code}`;
  // Nothing else can be found, so whatever escapes its quotes fails.
  const { stderr, status } = spawnSync("sh", ["-e"], {
    input: script,
    encoding: "utf8",
    env: { PATH: "/bin" },
  });
  expect(status).toBe(0);
  return stderr
    .split("\n\0")
    .slice(0, -1)
    .map((words) => words.split("\0").slice(0, -1));
}

describe("the same request as code", () => {
  it("[PG7] a shell takes no value for a command", () => {
    const [transcribe, separate, align, ...others] = runInShell(writeCode("CLI", HOSTILE));
    expect(others).toEqual([]);
    const server = ["--server", HOSTILE.baseUrl];
    const file = `./${HOSTILE.input}`;
    expect(transcribe).toEqual([
      "transcribe",
      file,
      "--format",
      HOSTILE.targets[0]?.formats.join(","),
      "--language",
      HOSTILE.targets[0]?.language,
      ...server,
    ]);
    expect(separate).toEqual([
      "separate",
      file,
      "--stems",
      HOSTILE.targets[1]?.model,
      "--format",
      "wav",
      ...server,
    ]);
    expect(align?.slice(-4)).toEqual(["--text", HOSTILE.transcript, ...server]);
  });

  it("[PG7] curl takes no part of a name for an option, and only the ids are filled in", () => {
    const calls = runInShell(writeCode("curl", HOSTILE));
    const quoted = HOSTILE.input.replaceAll(/["\\]/g, "\\$&");
    expect(calls[0]?.slice(3)).toEqual(["-F", `file=@"./${quoted}"`, `${HOSTILE.baseUrl}/assets`]);
    expect(calls.at(-1)?.[5]).toBe(`${HOSTILE.baseUrl}/tasks`);
    expect(JSON.parse(calls.at(-1)?.at(-1) ?? "")).toEqual({
      assetId: "id",
      targets: HOSTILE.targets.map((target) =>
        target.model === "alignment" ? { ...target, transcriptAssetId: "id" } : target,
      ),
    });
  });

  it("[PG7] a pasted name presses no keys of a terminal", () => {
    for (const language of LANGUAGES)
      expect(writeCode(language, { ...SIMPLE, input: "a\u0003\ntouch x.mp3" })).toContain("a??touch x.mp3");
  });

  it("[PG7] for curl: uploads, then creates the Task", () => {
    expect(writeCode("curl", { ...SIMPLE, targets: [{ model: "bass", formats: ["wav"] }] })).toBe(
      [
        'ASSET_ID=$(curl -s -H "x-api-key: $STEMWRIGHT_API_KEY" -F file=@song.mp3 https://stems.example/audio/assets | jq -r .id)',
        'curl -s -H "x-api-key: $STEMWRIGHT_API_KEY" -H "content-type: application/json" \\',
        "  https://stems.example/audio/tasks -d '{",
        `  "assetId": "'"$ASSET_ID"'",`,
        '  "targets": [',
        '    {"model": "bass", "formats": ["wav"]}',
        "  ]",
        "}'",
      ].join("\n"),
    );
  });

  it("[PG7] for a shell: one command per kind of work", () => {
    expect(writeCode("CLI", SIMPLE)).toBe(
      [
        "stemwright separate song.mp3 --stems vocals --format wav --residual --high-quality --server https://stems.example/audio",
        "stemwright separate song.mp3 --stems drums --format wav,mp3 --server https://stems.example/audio",
      ].join("\n"),
    );
    expect(writeCode("CLI", HARD)).toBe(
      [
        `stemwright align 'It'\\''s "mine" $HOME.mp3' --format lrc --language en --text transcript.txt --server http://192.168.1.5:8080`,
        `stemwright transcribe 'It'\\''s "mine" $HOME.mp3' --format srt --server http://192.168.1.5:8080`,
      ].join("\n"),
    );
  });

  it("[PG7] an address is not uploaded", () => {
    const code = writeCode("curl", { ...SIMPLE, input: "https://a.example/b.mp3" });
    expect(code).not.toContain("/assets");
    expect(code).toContain('"url": "https://a.example/b.mp3"');
  });

  it.each([SIMPLE, HARD, HOSTILE])("[PG7] is code that its language can read: $input", (request) => {
    const asShell = (code: string) => execFileSync("sh", ["-n"], { input: code });
    expect(() => asShell(writeCode("curl", request))).not.toThrow();
    expect(() => asShell(writeCode("CLI", request))).not.toThrow();
    expect(() => stripTypeScriptTypes(writeCode("TypeScript", request))).not.toThrow();
    const compile = "import sys; compile(sys.stdin.read(), 'request', 'exec')";
    expect(() =>
      execFileSync("python3", ["-c", compile], { input: writeCode("Python", request) }),
    ).not.toThrow();
  });

  it("[PG7] a shell fills in the ids, and leaves names alone", () => {
    const code = writeCode("curl", HARD)
      .replaceAll(/^curl -s/gm, "echo")
      .replaceAll(/\$\(curl .*?\)$/gm, "id");
    const printed = execFileSync("sh", { input: code, encoding: "utf8" });
    expect(JSON.parse(printed.slice(printed.indexOf("{")))).toEqual({
      assetId: "id",
      targets: [
        { model: "alignment", formats: ["lrc"], language: "en", transcriptAssetId: "id" },
        { model: "transcription", formats: ["srt"] },
      ],
    });
  });
});
