import { type Chunking, toOverlapShare } from "../dsp/overlap-add.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import engine from "../package.json" with { type: "json" };
import type { SoundOutput, TargetOf } from "../targets/engine-request.ts";

type NetworkFacts = Pick<StemManifest, "id" | "weights"> & { chunking: Chunking };

/** Everything besides the input that a target's samples depend on. */
export type Provenance = {
  target: Pick<TargetOf<string>, "model" | "variant">;
  manifest: NetworkFacts;
  /** The network whose stem was used instead of the input. */
  source: { manifest: NetworkFacts; stem: string; runsOn: string } | undefined;
  runsOn: string;
  /** The number of averaged passes. */
  passCount: number;
};

/** How a file was made, for its metadata. As `name=value` pairs in the comment, the only tag that every container has under one name or another. */
export function toProvenanceTags(
  { target, manifest, source, runsOn, passCount }: Provenance,
  output: SoundOutput,
): { comment: string } {
  const facts = {
    "made-by": `Stemwright ${engine.version}`,
    model: target.model,
    variant: target.variant ?? "standard",
    output,
    network: manifest.id,
    "weights-sha256": manifest.weights.sha256,
    overlap: toOverlap(manifest),
    ...(source && {
      reads: `${source.stem} of ${source.manifest.id}`,
      "reads-weights-sha256": source.manifest.weights.sha256,
      "reads-overlap": toOverlap(source.manifest),
      "reads-execution-provider": source.runsOn,
    }),
    passes: passCount,
    "execution-provider": runsOn,
  };
  return {
    comment: Object.entries(facts)
      .map(([name, value]) => `${name}=${value}`)
      .join("; "),
  };
}

function toOverlap({ chunking }: NetworkFacts): number {
  return Number(toOverlapShare(chunking).toFixed(4));
}
