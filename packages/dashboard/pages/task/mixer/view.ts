/** The part of the recording that the timeline shows, in frames. */
export type View = { start: number; end: number };

/** A view of the given length, as close to its place as the recording allows. */
export function placeView(start: number, length: number, frames: number): View {
  const from = Math.round(Math.max(0, Math.min(frames - length, start)));
  return { start: from, end: Math.round(Math.min(frames, from + length)) };
}

/** Shows `factor` times as much, at least a second, with `anchor` staying in place. */
export function zoomView(
  view: View,
  factor: number,
  { anchor, frames, sampleRate }: { anchor: number; frames: number; sampleRate: number },
): View {
  const length = Math.min(frames, Math.max(sampleRate, (view.end - view.start) * factor));
  const isSeen = anchor >= view.start && anchor <= view.end;
  const share = isSeen ? (anchor - view.start) / (view.end - view.start) : 0.5;
  return placeView(anchor - share * length, length, frames);
}

/** The view that contains the playhead: the same one, or the next page. */
export function followView(view: View, frame: number, frames: number): View {
  if (frame >= view.start && frame < view.end) return view;
  const length = view.end - view.start;
  return placeView(frame - 0.05 * length, length, frames);
}

/** The position of a frame in the view, from 0 to 1. */
export const toFraction = (view: View, frame: number) => (frame - view.start) / (view.end - view.start);
export const toPercent = (view: View, frame: number) => `${100 * toFraction(view, frame)}%`;

/** The frame at a pointer. */
export function toFrame(view: View, element: Element, clientX: number): number {
  const { left, width } = element.getBoundingClientRect();
  return view.start + ((clientX - left) / width) * (view.end - view.start);
}
