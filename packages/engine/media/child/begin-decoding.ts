import { decodeFrames } from "./decoded-frames.ts";
import { makeNothingDecodedError, toMediaInfo } from "./media-info-of-frame.ts";
import { openAudioInput } from "./open-audio-input.ts";
import { PcmConverter } from "./pcm-converter.ts";
import { PcmFile } from "./pcm-file.ts";

/** Opens an input and its PCM file, and decodes the first frame: only that shows the true sample format. */
export function beginDecoding({ inputFd, pcmFd }: { inputFd: number; pcmFd: number }) {
  const input = openAudioInput(inputFd);
  const frames = decodeFrames(input);
  const first = frames.next();
  if (first.done) throw makeNothingDecodedError(first.value);
  const converter = new PcmConverter(first.value.frame);
  return {
    input,
    frames,
    first,
    info: toMediaInfo(input, first.value.frame),
    converter,
    file: new PcmFile(pcmFd, converter.bytesPerFrame),
  };
}
