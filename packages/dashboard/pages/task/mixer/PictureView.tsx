import type { Task } from "@stemwright/sdk";
import { useEffect, useRef, useState } from "preact/hooks";
import { findAudioOffset } from "../../../data/lead-seconds.ts";
import { useLoad } from "../../../parts/use-load.ts";
import { correctDrift } from "../../../player/picture-drift.ts";
import type { Player } from "../../../player/player.ts";
import { findPicture } from "./find-picture.ts";

const LOOK_INTERVAL_MS = 100;
/** While paused, the video shows the frame at the playhead. */
const PAUSED_DRIFT_SECONDS = 0.02;
/** A link is valid for an hour. */
const MAX_LINK_AGE_MS = 50 * 60_000;

const UNPLAYABLE = "No picture: this browser can't show the one in the file, or the file has none.";

/** Keeps the video in sync with the audio, which starts `audioOffset` seconds into the file, until the returned function is called. */
function follow(
  video: HTMLVideoElement,
  { player, audioOffset }: { player: Player; audioOffset: number },
): () => void {
  const look = () => {
    if (video.readyState < HTMLMediaElement.HAVE_METADATA || video.seeking) return;
    const sound = Math.min(player.audibleSeconds + audioOffset, video.duration || Number.POSITIVE_INFINITY);
    if (player.state.peek() !== "playing") {
      if (!video.paused) video.pause();
      if (Math.abs(video.currentTime - sound) > PAUSED_DRIFT_SECONDS) video.currentTime = sound;
      return;
    }
    if (video.paused && !video.ended) void video.play().catch(() => {});
    const { seekSeconds, playbackRate } = correctDrift(video.currentTime, sound);
    if (seekSeconds !== undefined) video.currentTime = seekSeconds;
    if (video.playbackRate !== playbackRate) video.playbackRate = playbackRate;
  };
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  const stop = player.state.subscribe(look);
  return () => {
    clearInterval(timer);
    stop();
  };
}

/** The video of the input, in sync with the mix; an explanation if it can't be shown. */
export function PictureView({ task, player }: { task: Task; player: Player }) {
  const loaded = useLoad(
    async (signal) => ({ picture: await findPicture(task, signal), loadedMs: performance.now() }),
    [task.assetId, task.url],
  );
  const video = useRef<HTMLVideoElement>(null);
  const audioOffset = findAudioOffset(task.targets);
  const [isUnplayable, setUnplayable] = useState(false);
  const picture = loaded.value?.picture;
  const link = picture && "link" in picture ? picture.link : undefined;
  useEffect(
    () => (video.current ? follow(video.current, { player, audioOffset }) : undefined),
    [player, audioOffset, link, isUnplayable],
  );

  function fail() {
    if (performance.now() - (loaded.value?.loadedMs ?? 0) > MAX_LINK_AGE_MS) loaded.reload();
    else setUnplayable(true);
  }

  if (!picture) return null;
  if (link === undefined || isUnplayable)
    return <p class="small muted">{"reason" in picture ? picture.reason : UNPLAYABLE}</p>;
  return (
    <div class="mixer-picture">
      <video
        ref={video}
        src={link}
        muted
        playsInline
        preload="auto"
        disablePictureInPicture
        aria-label="Picture of the input, in sync with the mix"
        onError={fail}
        onLoadedMetadata={({ currentTarget }) => setUnplayable(currentTarget.videoWidth === 0)}
      />
    </div>
  );
}
