import type { OpenInput } from "../../targets/open-input.ts";
import { findRootPass, type StemPass } from "../../targets/plan-targets.ts";
import { countSpooledSegments } from "../network-pass.ts";
import { toNetworkShape, toPassName, toStartFrame } from "../pass-identity.ts";
import { describeSpools, type SpoolFacts } from "../pass-spools.ts";
import { describeSpanPass } from "./describe-span-pass.ts";
import { cutAtFrames, type PassSpans } from "./segment-range.ts";
import type { SpanExchange, SpanPart, SpanPass } from "./span-exchange.ts";

/** Length of a span relative to the minimum length of a shared input. */
const SPAN_SHARE = 1 / 3;

/**
 * Offers the passes over a long input to other workers, span by span, and returns the spans of each pass. Spans end where segments do: a
 * helper also runs the segment before its span, for the tail, and so gets the same samples as a single pass.
 */
export async function offerSpans(
  run: SpoolFacts,
  passes: readonly StemPass[],
  { exchange, spansFromSeconds }: { exchange: SpanExchange | undefined; spansFromSeconds: number },
): Promise<ReadonlyMap<StemPass, PassSpans>> {
  const spans = new Map<StemPass, PassSpans>();
  const { lengthFrames, sampleRateHz } = run.input.source;
  const isLong = lengthFrames > spansFromSeconds * sampleRateHz;
  if (!exchange || spansFromSeconds === 0 || !isLong) return spans;
  const parts: SpanPart[] = [];
  for (const root of passes.filter(({ reads }) => reads === undefined)) {
    const group = passes.filter((pass) => findRootPass(pass) === root);
    if (!group.every((pass) => isDivisible(run.input, pass, root))) continue;
    const cutFrames = listCuts(run.input, root, SPAN_SHARE * spansFromSeconds);
    const described = await Promise.all(group.map((pass) => describe(run, pass, cutFrames)));
    const finishedSpans = Math.min(...described.map((pass) => pass.finishedSpans));
    // Nothing is left to do, or the spans would be shorter than segments.
    const hasEmpty = described.some(({ ranges }) => ranges.some(({ from, to }) => from === to));
    if (finishedSpans > cutFrames.length || hasEmpty) continue;
    const key = toPassName(root);
    parts.push({ key, passes: described.map((pass) => pass.spanPass), cutFrames, finishedSpans });
    for (const { pass, ranges } of described)
      spans.set(pass, { ...toPassSpans(exchange, key, pass), ranges });
  }
  if (parts.length > 0) exchange.offer(parts);
  return spans;
}

/** A pass at another rate would have other cuts, one that does not fill a segment is not run, and one that levels another's stem needs all of that. */
function isDivisible(input: OpenInput, { manifest, reads, startShare }: StemPass, root: StemPass): boolean {
  if (manifest.levelling && reads) return false;
  const lengthFrames = toNetworkShape(input, manifest).lengthFrames - toStartFrame(manifest, startShare);
  return manifest.sampleRateHz === root.manifest.sampleRateHz && lengthFrames >= manifest.segmentFrames;
}

/** Spans of equal length, except for rounding. */
function listCuts(input: OpenInput, { manifest }: StemPass, spanSeconds: number): number[] {
  const { lengthFrames, sampleRateHz } = toNetworkShape(input, manifest);
  const count = Math.ceil(lengthFrames / (spanSeconds * sampleRateHz));
  return Array.from({ length: count - 1 }, (_, index) => Math.round(((index + 1) * lengthFrames) / count));
}

async function describe(run: SpoolFacts, pass: StemPass, cutFrames: readonly number[]) {
  const { manifest, startShare, stems } = pass;
  const spools = await describeSpools(run, pass);
  const { grid, madeFrom } = describeSpanPass(spools);
  const ranges = cutAtFrames(grid, { startFrame: toStartFrame(manifest, startShare), cutFrames });
  const spooled = await countSpooledSegments(spools);
  const spanPass: SpanPass = { name: toPassName(pass), network: manifest.id, startShare, stems, madeFrom };
  return { pass, ranges, spanPass, finishedSpans: ranges.filter(({ to }) => to <= spooled).length };
}

function toPassSpans(exchange: SpanExchange, part: string, pass: StemPass): Omit<PassSpans, "ranges"> {
  const name = toPassName(pass);
  return {
    async take(index) {
      const made = await exchange.take({ part, index });
      return (
        made && new Map(made.files.filter((file) => file.pass === name).map(({ stem, path }) => [stem, path]))
      );
    },
    shareElsewhere: (index) => exchange.shareElsewhere({ part, index }),
    onElsewhere: (listener) => exchange.onElsewhere(listener),
  };
}
