import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../parts/Button.tsx";
import { formatDuration } from "../../parts/format.ts";
import { useInterval } from "../../parts/use-interval.ts";

const TICK_MS = 500;

/** Browsers allow the microphone only on https pages and localhost. */
const canRecord = () => navigator.mediaDevices !== undefined && "MediaRecorder" in window;

const toExtension = (type: string) => (type.startsWith("audio/mp4") ? "m4a" : "webm");

export function Recorder({ onRecorded }: { onRecorded: (file: File) => void }) {
  const recorder = useRef<MediaRecorder>(undefined);
  const [startedMs, setStartedMs] = useState<number>();
  const [nowMs, setNowMs] = useState(0);
  useInterval(() => setNowMs(Date.now()), startedMs === undefined ? undefined : TICK_MS);
  useEffect(() => () => recorder.current?.stop(), []);

  async function start() {
    const stream = await navigator.mediaDevices.getUserMedia({
      // Made for calls, these would alter the recording.
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
    });
    const parts: Blob[] = [];
    const made = new MediaRecorder(stream);
    recorder.current = made;
    made.ondataavailable = ({ data }) => parts.push(data);
    made.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      recorder.current = undefined;
      const time = new Date().toTimeString().slice(0, 8).replaceAll(":", ".");
      const { mimeType: type } = made;
      onRecorded(new File(parts, `Recording ${time}.${toExtension(type)}`, { type }));
    };
    made.start();
    setStartedMs(Date.now());
    setNowMs(Date.now());
  }

  if (startedMs !== undefined)
    return (
      <Button
        kind="danger"
        icon="stop"
        onClick={() => {
          setStartedMs(undefined);
          recorder.current?.stop();
        }}
      >
        Stop ({formatDuration((nowMs - startedMs) / 1000)})
      </Button>
    );
  if (!canRecord())
    return <span class="small muted">To record, open this page over https or on the machine itself.</span>;
  return (
    <Button icon="microphone" onClick={start}>
      Record
    </Button>
  );
}
