import type { ComponentChildren } from "preact";
import { EmptyState } from "./EmptyState.tsx";
import { PageHead } from "./PageHead.tsx";

/** In place of a page whose subject does not exist, or no longer. */
export function Missing({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <PageHead title={title} />
      <EmptyState title="Nothing is here">{children}</EmptyState>
    </>
  );
}
