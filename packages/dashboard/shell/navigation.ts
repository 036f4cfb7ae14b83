import type { IconName } from "../parts/Icon.tsx";

export type NavigationLink = { to: string; label: string; icon: IconName };
export type NavigationGroup = {
  title?: string;
  links: readonly NavigationLink[];
  isForAdministrators?: boolean;
};

/** The side navigation. */
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    links: [
      { to: "app/playground", label: "Playground", icon: "playground" },
      { to: "app/tasks", label: "Tasks", icon: "tasks" },
      { to: "app/assets", label: "Assets", icon: "assets" },
      { to: "app/models", label: "Models", icon: "models" },
      { to: "app/usage", label: "Usage", icon: "usage" },
    ],
  },
  {
    title: "Settings",
    links: [
      { to: "app/settings/keys", label: "API keys", icon: "key" },
      { to: "app/settings/webhook", label: "Webhook URL", icon: "webhook" },
      { to: "app/settings/storage", label: "Storage", icon: "storage" },
      { to: "app/people", label: "People", icon: "people" },
      { to: "app/settings/profile", label: "Profile", icon: "profile" },
      { to: "app/settings/sessions", label: "Sessions", icon: "shield" },
    ],
  },
  {
    title: "Administration",
    isForAdministrators: true,
    links: [
      { to: "app/admin/clients", label: "Clients", icon: "clients" },
      { to: "app/admin/operation", label: "Operation", icon: "pulse" },
    ],
  },
];
