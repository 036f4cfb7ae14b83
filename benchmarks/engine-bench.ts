import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/process/engine-process.ts";
import { readSound, writeSound } from "../packages/engine/support/sound-file.ts";
import type { EngineTarget } from "../packages/engine/targets/engine-request.ts";

/** The engine as the service runs it, in a child process. */
export class EngineBench implements AsyncDisposable {
  protected readonly engine = new EngineProcess();
  protected readonly folder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
    rmSync(this.folder, { recursive: true });
  }

  /** Writes audio to a file, to be used as an input. */
  write(name: string, plane: Float32Array, sampleRateHz: number): string {
    const path = join(this.folder, `${name}.wav`);
    writeSound(path, [plane], sampleRateHz);
    return path;
  }

  /** The first channel of each model's output for a recording, all in one request. */
  async takeSounds(inputPath: string, models: readonly string[]): Promise<Float32Array[]> {
    const pathOf = (model: string) => join(this.folder, `${model}.wav`);
    const targets = models.map((model) => ({
      kind: "sound" as const,
      key: model,
      model,
      files: [{ output: "stem" as const, format: "wav" as const, path: pathOf(model) }],
    }));
    await this.run(inputPath, targets);
    return models.map((model) => readPlane(pathOf(model)));
  }

  async transcribe(inputPath: string): Promise<string> {
    const path = join(this.folder, "text.txt");
    const files = [{ format: "txt" as const, path }];
    await this.run(inputPath, [{ kind: "text", key: "t", model: "transcription", language: "en", files }]);
    return readFileSync(path, "utf8");
  }

  /** Returns the number of voices found, for a voices target. */
  protected async run(inputPath: string, targets: EngineTarget[]): Promise<number> {
    const workDir = join(this.folder, "work");
    let voiceCount = 0;
    await this.engine.run(
      { inputPath, workDir, targets },
      {
        onTargetDone: (_, result) => {
          voiceCount = result.voiceCount ?? 0;
        },
        onTargetFailed: (_, error) => {
          throw error;
        },
      },
    );
    rmSync(workDir, { recursive: true });
    return voiceCount;
  }
}

export function readPlane(path: string): Float32Array {
  const [plane = new Float32Array()] = readSound(path).planes;
  return plane;
}
