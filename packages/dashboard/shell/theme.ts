import { effect, signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORED_AS = "stemwright-theme";

function readStored(): Theme {
  try {
    const stored = localStorage.getItem(STORED_AS);
    return THEMES.find((theme) => theme === stored) ?? "system";
  } catch {
    // Storage may be disabled.
    return "system";
  }
}

export const theme = signal<Theme>(readStored());

effect(() => {
  const { value } = theme;
  if (value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  try {
    localStorage.setItem(STORED_AS, value);
  } catch {
    // The choice then lasts until the page is closed.
  }
});
