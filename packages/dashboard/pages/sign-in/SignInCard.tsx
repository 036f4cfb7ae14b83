import type { ComponentChildren } from "preact";
import { PageHead } from "../../parts/PageHead.tsx";
import { Brand } from "../../shell/Brand.tsx";

/** Frame of the pages shown before sign-in. */
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
