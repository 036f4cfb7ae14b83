import type { ComponentChildren } from "preact";
import { ErrorNotice } from "./ErrorNotice.tsx";
import type { Load } from "./use-load.ts";

function Skeleton() {
  return (
    <div class="stack-tight" role="status" aria-label="Loading">
      <div class="skeleton" />
      <div class="skeleton" />
      <div class="skeleton" />
    </div>
  );
}

/** Renders the value once loaded, a skeleton until then, and errors with a retry button. */
export function Loaded<Value>({
  loaded,
  children,
  placeholder = <Skeleton />,
}: {
  loaded: Load<Value>;
  children: (value: Value) => ComponentChildren;
  placeholder?: ComponentChildren;
}) {
  const { value, error, reload } = loaded;
  if (error !== undefined && value === undefined)
    return <ErrorNotice error={error} action={{ label: "Try again", onClick: reload }} />;
  return (
    <>
      {error !== undefined && <ErrorNotice error={error} action={{ label: "Try again", onClick: reload }} />}
      {value === undefined ? placeholder : children(value)}
    </>
  );
}
