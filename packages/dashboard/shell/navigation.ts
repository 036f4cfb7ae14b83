import type { IconName } from "../parts/Icon.tsx";

export type NavigationLink = { to: string; label: string; icon: IconName };
export type NavigationGroup = {
  title?: string;
  links: readonly NavigationLink[];
  isForAdministrators?: boolean;
};

/** What the side of every page lists. */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    links: [
      { to: "app/playground", label: "Playground", icon: "playground" },
      { to: "app/tasks", label: "Tasks", icon: "tasks" },
      { to: "app/assets", label: "Assets", icon: "assets" },
      { to: "app/models", label: "Models", icon: "models" },
    ],
  },
];
