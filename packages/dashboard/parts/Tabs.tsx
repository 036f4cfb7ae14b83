import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

export type Tab = { id: string; title: string };

/** Tabs; arrow keys move between them. */
export function Tabs({
  label,
  tabs,
  shown,
  onChange,
  children,
}: {
  label: string;
  tabs: readonly Tab[];
  shown: string;
  onChange: (id: string) => void;
  children: ComponentChildren;
}) {
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);

  function move(event: KeyboardEvent) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = tabs.findIndex(({ id }) => id === shown) + step;
    const next = tabs[(index + tabs.length) % tabs.length];
    if (!next) return;
    onChange(next.id);
    list.current?.querySelector<HTMLElement>(`[id="${prefix}-${next.id}"]`)?.focus();
  }

  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            id={`${prefix}-${id}`}
            type="button"
            class="tab"
            role="tab"
            aria-selected={id === shown}
            aria-controls={`${prefix}-panel`}
            tabIndex={id === shown ? 0 : -1}
            onClick={() => onChange(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <div id={`${prefix}-panel`} role="tabpanel" aria-labelledby={`${prefix}-${shown}`}>
        {children}
      </div>
    </div>
  );
}
