import type { StemManifest } from "../../manifests/manifest.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import type { Architecture } from "../architecture.ts";
import { loadSpectrumNetwork } from "../load-spectrum-network.ts";
import type { LoadedNetwork } from "../stem-network.ts";
import { buildMdx23cParts } from "./graph.ts";
import { parseMdx23cConfig } from "./mdx23c-config.ts";
import { recogniseMdx23c } from "./recognise.ts";

/** MDX23C, also called TFC-TDF v3. */
export const Mdx23c: Architecture = {
  title: "MDX23C",
  recognise: recogniseMdx23c,

  load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const config = parseMdx23cConfig(manifest);
    const { channels, segmentFrames } = manifest;
    const { fftSize, hopFrames, binCount } = config;
    const slots = Math.floor(segmentFrames / hopFrames) + 1;
    return loadSpectrumNetwork(path, manifest, {
      shape: {
        ...{ fftSize, hopFrames, binCount, channels },
        window: "hann",
        scaling: "none",
        paddedFrames: segmentFrames,
        hasBinsInside: true,
      },
      build: (weights) => buildMdx23cParts({ weights, config }, [1, 2 * channels, slots, binCount]),
      options,
    });
  },
};
