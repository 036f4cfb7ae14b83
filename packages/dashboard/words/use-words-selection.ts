import { useEffect, useState } from "preact/hooks";
import type { WordsSelection } from "./speakers.ts";

function findPlace(node: Node | null) {
  const element = node instanceof Element ? node : node?.parentElement;
  const word = element?.closest<HTMLElement>("[data-word]");
  const row = word?.closest<HTMLElement>("[data-row]");
  return word && row ? { line: Number(row.dataset.row), word: Number(word.dataset.word) } : undefined;
}

/** The words selected with the pointer or keyboard, as long as they are. */
export function useWordsSelection(isWanted: boolean): WordsSelection | undefined {
  const [selection, setSelection] = useState<WordsSelection>();
  useEffect(() => {
    if (!isWanted) return undefined;
    const look = () => {
      const selected = document.getSelection();
      const range = selected?.isCollapsed === false ? selected.getRangeAt(0) : undefined;
      const from = findPlace(range?.startContainer ?? null);
      const to = findPlace(range?.endContainer ?? null);
      setSelection(from && to ? { from, to } : undefined);
    };
    document.addEventListener("selectionchange", look);
    return () => document.removeEventListener("selectionchange", look);
  }, [isWanted]);
  return selection;
}
