import type { ComponentChildren } from "preact";

/** Rows under heads; where it is wider than the screen it scrolls by itself, with the keyboard too. */
export function Table({
  label,
  heads,
  children,
}: {
  label: string;
  heads: readonly ComponentChildren[];
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard.
    <section class="card card-flush table-wrap" tabIndex={0} aria-label={label}>
      <table class="table">
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** The head of a column that has buttons alone. */
export const ActionsHead = () => <span class="visually-hidden">Actions</span>;
