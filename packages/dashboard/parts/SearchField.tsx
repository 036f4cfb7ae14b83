import { useEffect, useRef, useState } from "preact/hooks";

const TYPING_PAUSE_MS = 300;

/** Calls back when typing pauses, not at each letter. */
export function SearchField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <input
      class="input search-field"
      type="search"
      aria-label={label}
      placeholder={hint}
      value={text}
      onInput={({ currentTarget }) => {
        setText(currentTarget.value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => onChange(currentTarget.value.trim()), TYPING_PAUSE_MS);
      }}
    />
  );
}
