import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A table; on narrow screens each row becomes a card of header and value pairs. */
export function Table({
  label,
  heads,
  children,
}: {
  label: string;
  heads: readonly ComponentChildren[];
  children: ComponentChildren;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  useLayoutEffect(() => {
    for (const row of body.current?.rows ?? [])
      for (const [index, cell] of [...row.cells].entries()) {
        const head = heads[index];
        if (typeof head === "string") cell.dataset.label = head;
      }
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard.
    <section class="card card-flush table-wrap" tabIndex={0} aria-label={label}>
      <table class="table table-rows">
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </section>
  );
}

/** Header of a column of buttons. */
export const ActionsHead = () => <span class="visually-hidden">Actions</span>;
