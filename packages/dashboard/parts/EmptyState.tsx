import type { ComponentChildren } from "preact";

const HEIGHTS_PERCENT = [22, 46, 30, 74, 52, 96, 40, 68, 84, 36, 58, 26, 44, 18];

/** What to do first, when there is nothing to show yet. */
export function EmptyState({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <div class="empty-art" aria-hidden="true">
        {HEIGHTS_PERCENT.map((height, index) => (
          <i key={index} style={{ height: `${height}%` }} />
        ))}
      </div>
      <h2>{title}</h2>
      <p>{children}</p>
    </div>
  );
}
