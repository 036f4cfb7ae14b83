import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { convertCheckpoint, readConfigurationFile } from "./convert-checkpoint.ts";
import { openCheckpoint } from "./open-checkpoint.ts";
import { makeMemorySource, TORCH_FOLDER } from "./support/memory-source.ts";
import { pickle, writeTorchZip } from "./support/write-torch-file.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-convert-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const torch = (name: string) => join(TORCH_FOLDER, name);

describe("in the sandbox", () => {
  it("a checkpoint becomes safetensors, sorted, halves as halves, the same bytes each time", async () => {
    const fractions: number[] = [];
    const facts = await convertCheckpoint(torch("plain.pt"), join(folder, "a"), {
      onProgress: (fraction) => void fractions.push(fraction),
    });
    expect(facts).toEqual({ container: "torch", attributes: {} });
    await convertCheckpoint(torch("legacy.pth"), join(folder, "b"));
    const bytes = readFileSync(join(folder, "a"));
    expect(bytes.equals(readFileSync(join(folder, "b")))).toBe(true);
    const { tensors } = openCheckpoint(makeMemorySource(bytes));
    const names = tensors.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(tensors.filter(({ dtype }) => dtype === "F16").map(({ name }) => name)).toEqual(["half"]);
    expect(new Set(tensors.map(({ dtype }) => dtype))).toEqual(new Set(["F16", "F32"]));
  });

  it("facts of a Demucs package arrive", async () => {
    const facts = await convertCheckpoint(torch("demucs.th"), join(folder, "package"));
    expect(facts.packaged?.klass).toBe("demucs.htdemucs.HTDemucs");
  });

  it.each([
    ["evil.pt", "posix.system, which is refused"],
    ["lora.pt", "a LoRA adapter"],
  ])("%s is refused in its own words", async (name, sentence) => {
    await expect(convertCheckpoint(torch(name), join(folder, `out-${name}`))).rejects.toThrow(sentence);
  });

  it("a configuration is read there as well", async () => {
    writeFileSync(join(folder, "good.yaml"), "model: {dim: 4}\n");
    expect(await readConfigurationFile(join(folder, "good.yaml"))).toEqual({ model: { dim: 4 } });
    writeFileSync(join(folder, "bad.yaml"), "a: !!python/object/apply:os.system [ls]\n");
    await expect(readConfigurationFile(join(folder, "bad.yaml"))).rejects.toThrow(
      "!!python/object/apply:os.system",
    );
  });

  it("a missing file, a folder and a cancelled conversion are reported", async () => {
    await expect(convertCheckpoint(join(folder, "none"), join(folder, "x"))).rejects.toThrow(
      "There is no file",
    );
    await expect(convertCheckpoint(folder, join(folder, "x"))).rejects.toThrow("is not a file");
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(convertCheckpoint(torch("plain.pt"), join(folder, "y"), { signal })).rejects.toThrow(
      "stopped",
    );
  });

  it("a pickle of millions of objects is refused before it takes gigabytes", async () => {
    const document = pickle.document(new Uint8Array(4_000_000).fill("}".charCodeAt(0)));
    writeFileSync(join(folder, "wide.pt"), writeTorchZip(document));
    const conversion = convertCheckpoint(join(folder, "wide.pt"), join(folder, "wide.out"));
    await expect(conversion).rejects.toThrow("larger than that of any network");
  });
});
