import { AV_NOPTS_VALUE, AVERROR_EAGAIN, AVERROR_ENOMEM, AVERROR_EOF } from "node-av/constants";
import { Frame, Packet } from "node-av/lib";
import { checkFfmpeg } from "./check-ffmpeg.ts";
import { LostTime } from "./lost-time.ts";
import type { AudioInput } from "./open-audio-input.ts";

export type DecodedFrame = {
  /** Valid until the next frame is requested. */
  frame: Frame;
  /** Undefined if the container has no timestamps. */
  startSeconds: number | undefined;
  /** File position of the last packet read, for progress. */
  positionBytes: number;
  /** Something before this frame could not be decoded. */
  isAfterError: boolean;
};

/** A demuxer that fails this often in a row has lost the stream. */
const MAX_READ_ERRORS_IN_ROW = 100;

/** Decodes the audio stream from the start and skips packets that cannot be decoded. Returns the number of errors. */
export function* decodeFrames(input: AudioInput): Generator<DecodedFrame, number> {
  using packet = new Packet();
  packet.alloc();
  using frame = new Frame();
  frame.alloc();
  const { decoder } = input;
  const lostTime = new LostTime(input);
  let errors = 0;
  let isAfterError = false;
  let positionBytes = 0;
  const noteError = (code: number) => {
    if (code === AVERROR_ENOMEM) checkFfmpeg(code, "crashed", "");
    errors++;
    isAfterError = true;
  };
  for (const hasPacket of readPackets(input, packet, noteError)) {
    if (hasPacket && packet.pos >= 0n) positionBytes = Number(packet.pos);
    const sent = decoder.sendPacketSync(hasPacket ? packet : null);
    if (sent < 0 && sent !== AVERROR_EOF) {
      noteError(sent);
      lostTime.noteDamaged(packet);
    } else lostTime.noteDecoded(packet);
    for (;;) {
      const received = decoder.receiveFrameSync(frame);
      if (received === AVERROR_EAGAIN || received === AVERROR_EOF) break;
      if (received < 0) {
        noteError(received);
        break;
      }
      if (frame.nbSamples > 0) {
        const startSeconds = findStartSeconds(frame, input, lostTime);
        yield { frame, startSeconds, positionBytes, isAfterError };
        isAfterError = false;
      }
      frame.unref();
    }
  }
  return errors;
}

/** Yields true for each packet of the stream, and false once at the end, when the decoder is to be drained. */
function* readPackets(
  input: AudioInput,
  packet: Packet,
  noteError: (code: number) => void,
): Generator<boolean> {
  let errorsInRow = 0;
  while (errorsInRow < MAX_READ_ERRORS_IN_ROW) {
    const code = input.format.readFrameSync(packet);
    if (code === AVERROR_EOF) break;
    if (code < 0) {
      errorsInRow++;
      noteError(code);
      continue;
    }
    errorsInRow = 0;
    if (packet.streamIndex === input.stream.index) yield true;
    else if (packet.streamIndex === input.video?.index) input.firstPicture?.note(packet);
    packet.unref();
  }
  yield false;
}

function findStartSeconds(frame: Frame, input: AudioInput, lostTime: LostTime): number | undefined {
  const pts = frame.bestEffortTimestamp === AV_NOPTS_VALUE ? frame.pts : frame.bestEffortTimestamp;
  if (pts === AV_NOPTS_VALUE) return undefined;
  return Number(pts) * input.stream.timeBase.toDouble() + lostTime.seconds;
}
