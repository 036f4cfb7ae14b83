import { THEMES, theme } from "./theme.ts";

const LABELS = { system: "Auto", light: "Light", dark: "Dark" };

export function ThemeSwitch() {
  return (
    <fieldset class="theme-switch">
      <legend class="visually-hidden">Theme</legend>
      {THEMES.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={theme.value === each}
          onClick={() => {
            theme.value = each;
          }}
        >
          {LABELS[each]}
        </button>
      ))}
    </fieldset>
  );
}
