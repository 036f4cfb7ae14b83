import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Icon, type IconName } from "./Icon.tsx";
import { reportError } from "./toast.ts";

export type ButtonProps = {
  /** While the returned promise is pending, the button is busy and ignores clicks; a failure is shown. */
  onClick?: () => unknown;
  children?: ComponentChildren;
  kind?: "primary" | "danger" | "plain";
  isSmall?: boolean;
  isDisabled?: boolean;
  /** Shows the button as busy, even without a pending click. */
  isBusy?: boolean;
  icon?: IconName;
  /** The accessible name of an icon button. */
  label?: string;
  type?: "button" | "submit";
};

export function Button({ kind, isSmall, icon, label, type = "button", ...props }: ButtonProps) {
  const [isPending, setPending] = useState(false);
  const isBusy = isPending || props.isBusy;
  const isOff = props.isDisabled || isBusy;

  async function click(event: Event) {
    if (isOff) return event.preventDefault();
    if (!props.onClick) return;
    setPending(true);
    try {
      await props.onClick();
    } catch (error) {
      reportError(error);
    } finally {
      setPending(false);
    }
  }

  const classes = ["button", kind && `button-${kind}`, isSmall && "button-small", label && "button-icon"];
  return (
    <button
      type={type}
      class={classes.filter(Boolean).join(" ")}
      // Not `disabled`, which would drop the keyboard focus.
      aria-disabled={isOff}
      aria-label={label}
      title={label}
      onClick={click}
    >
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {props.children}
    </button>
  );
}
