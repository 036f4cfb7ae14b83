import type { ComponentChildren } from "preact";
import { PageHead } from "../../parts/PageHead.tsx";
import { Brand } from "../../shell/Brand.tsx";

/** What visitors see before they are in. */
export function SignInCard({
  title,
  lead,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  children?: ComponentChildren;
}) {
  return (
    <main>
      <Brand />
      <div class="card stack">
        <PageHead title={title} lead={lead} />
        {children}
      </div>
    </main>
  );
}
