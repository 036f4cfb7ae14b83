import type { StemManifest } from "../../manifests/manifest.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import type { Architecture } from "../architecture.ts";
import { loadSpectrumNetwork } from "../load-spectrum-network.ts";
import type { LoadedNetwork } from "../stem-network.ts";
import { buildScnetParts } from "./graph.ts";
import { recogniseScnet } from "./recognise.ts";
import { parseScnetConfig, toEvenFrames } from "./scnet-config.ts";

/** Sparse Compression Network, plain and masked. */
export const Scnet: Architecture = {
  title: "SCNet",
  recognise: recogniseScnet,

  load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const config = parseScnetConfig(manifest);
    const { channels, segmentFrames } = manifest;
    const { fftSize, hopFrames, isNormalized, window } = config;
    const paddedFrames = toEvenFrames(config, segmentFrames);
    const [binCount, slots] = [fftSize / 2 + 1, paddedFrames / hopFrames + 1];
    return loadSpectrumNetwork(path, manifest, {
      shape: {
        ...{ fftSize, hopFrames, window, binCount, channels, paddedFrames },
        scaling: isNormalized ? "orthonormal" : "none",
        hasBinsInside: false,
      },
      build: (weights) => buildScnetParts({ weights, config }, [1, 2 * channels, binCount, slots]),
      options,
    });
  },
};
