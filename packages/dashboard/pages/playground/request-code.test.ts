import { execFileSync } from "node:child_process";
import { stripTypeScriptTypes } from "node:module";
import { describe, expect, it } from "vitest";
import { type CodeRequest, writeCode } from "./request-code.ts";

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

describe("the same request as code", () => {
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

  it.each([SIMPLE, HARD])("[PG7] is code that its language can read: $input", (request) => {
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
