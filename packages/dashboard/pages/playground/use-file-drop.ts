import { useEffect, useRef, useState } from "preact/hooks";

const hasFiles = (event: DragEvent): event is DragEvent & { dataTransfer: DataTransfer } =>
  event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files dropped anywhere on the page; a browser would open them instead of it. Returns whether some are held above it. */
export function useFileDrop(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    // A field that takes files itself has prevented the default.
    const isFree = (event: DragEvent) => !event.defaultPrevented;
    const hold = (event: DragEvent) => {
      setOver(isFree(event) && hasFiles(event));
      if (hasFiles(event)) event.preventDefault();
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!isFree(event) || !hasFiles(event)) return;
      event.preventDefault();
      latest.current(event.dataTransfer);
    };
    document.addEventListener("dragover", hold, { signal });
    document.addEventListener("dragleave", leave, { signal });
    document.addEventListener("drop", drop, { signal });
    return () => listeners.abort();
  }, []);
  return isOver;
}
