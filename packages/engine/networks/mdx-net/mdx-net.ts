import { readFileSync } from "node:fs";
import type { StemManifest } from "../../manifests/manifest.ts";
import type { SessionOptions } from "../../runtime/create-session.ts";
import { GraphThread } from "../../runtime/graph-thread.ts";
import type { Architecture } from "../architecture.ts";
import { SpectrumNetwork } from "../spectrum-network.ts";
import type { LoadedNetwork } from "../stem-network.ts";
import { MDX_NET_HOP_FRAMES, parseMdxNetConfig } from "./mdx-net-config.ts";
import { recogniseMdxNet } from "./recognise.ts";

const CHANNELS = 2;
/** Those that the networks were trained without. */
const SILENT_BINS = 3;

/** Ultimate Vocal Remover's MDX-Net: a graph from spectrum to spectrum, run as its maker exported it. */
export const MdxNet: Architecture = {
  title: "MDX-Net",
  recognise: recogniseMdxNet,

  async load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork> {
    const { fftSize, binCount, slots, gain } = parseMdxNetConfig(manifest);
    const chain = await GraphThread.startChain({ ...options, executionProvider: "cpu" });
    const shape = [1, 2 * CHANNELS, binCount, slots];
    await chain.add({
      file: Uint8Array.from(readFileSync(path)),
      inputs: [{ name: "spectrum", shape }],
      outputs: [{ name: "spectra", shape }],
    });
    const network = new SpectrumNetwork(manifest, {
      chain,
      linkCount: 1,
      shape: {
        ...{ fftSize, binCount, gain },
        hopFrames: MDX_NET_HOP_FRAMES,
        channels: CHANNELS,
        window: "hann",
        scaling: "none",
        paddedFrames: manifest.segmentFrames,
        hasBinsInside: false,
        silentBins: SILENT_BINS,
      },
    });
    return { network, runsOn: "cpu" };
  },
};
