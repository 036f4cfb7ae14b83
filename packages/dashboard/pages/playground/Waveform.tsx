import { useEffect, useState } from "preact/hooks";

const BARS = 180;
const HEIGHT = 48;
/** A longer file would take more memory than a waveform is worth. */
const MAX_SIZE_BYTES = 40_000_000;

/** The highest sample of each of `count` spans. */
function findPeaks(samples: Float32Array, count: number): number[] {
  const length = Math.max(1, Math.floor(samples.length / count));
  return Array.from({ length: count }, (_, index) => {
    let peak = 0;
    const end = Math.min(samples.length, (index + 1) * length);
    for (let at = index * length; at < end; at += 1) peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    return peak;
  });
}

async function loadPeaks(file: File): Promise<number[]> {
  const context = new OfflineAudioContext(1, 1, 22_050);
  const buffer = await context.decodeAudioData(await file.arrayBuffer());
  return findPeaks(buffer.getChannelData(0), BARS);
}

/** A file's waveform as decoded by the browser; nothing if it can't. */
export function Waveform({ file }: { file: File }) {
  const [peaks, setPeaks] = useState<readonly number[]>([]);
  useEffect(() => {
    let isShown = true;
    if (file.size <= MAX_SIZE_BYTES)
      loadPeaks(file).then(
        (found) => isShown && setPeaks(found),
        () => {},
      );
    return () => {
      isShown = false;
    };
  }, [file]);
  if (peaks.length === 0) return null;
  const loudest = Math.max(...peaks, 0.001);
  const path = peaks
    .map((peak, index) => {
      const half = Math.max(0.75, ((peak / loudest) * HEIGHT) / 2);
      return `M${index * 4 + 1.5} ${HEIGHT / 2 - half}v${half * 2}`;
    })
    .join("");
  return (
    <svg
      class="upload-waveform"
      viewBox={`0 0 ${BARS * 4} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
