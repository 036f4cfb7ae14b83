import type { ComponentChildren } from "preact";
import { PageHead } from "../../parts/PageHead.tsx";
import icon from "../../shell/icon.svg";

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
      <div class="brand">
        <img src={icon} alt="" />
        Stemwright
      </div>
      <div class="card stack">
        <PageHead title={title} lead={lead} />
        {children}
      </div>
    </main>
  );
}
