import type { ComponentType } from "preact";
import type { PageProps } from "./page-props.ts";

export type Route = {
  /** Relative to the service's address; `:name` is one segment. */
  path: string;
  load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** Shown without an account and without the navigation. */
  isPublic?: boolean;
};

/** Every page, each loaded when it is first opened. */
export const ROUTES: readonly Route[] = [
  { path: "app/sign-in", load: () => import("../pages/sign-in/SignInPage.tsx"), isPublic: true },
  { path: "app/invitation", load: () => import("../pages/invitation/InvitationPage.tsx"), isPublic: true },
  { path: "app/welcome", load: () => import("../pages/welcome/WelcomePage.tsx"), isPublic: true },
  { path: "app/playground", load: () => import("../pages/playground/PlaygroundPage.tsx") },
  { path: "app/share", load: () => import("../pages/share/SharePage.tsx"), isPublic: true },
  { path: "app/tasks", load: () => import("../pages/tasks/TasksPage.tsx") },
  { path: "app/tasks/:id", load: () => import("../pages/task/TaskPage.tsx") },
  { path: "app/assets", load: () => import("../pages/assets/AssetsPage.tsx") },
  { path: "app/models", load: () => import("../pages/models/ModelsPage.tsx") },
  { path: "app/usage", load: () => import("../pages/usage/UsagePage.tsx") },
  { path: "app/people", load: () => import("../pages/people/PeoplePage.tsx") },
  { path: "app/settings/keys", load: () => import("../pages/keys/KeysPage.tsx") },
  { path: "app/settings/webhook", load: () => import("../pages/webhook/WebhookPage.tsx") },
  { path: "app/settings/storage", load: () => import("../pages/storage/StoragePage.tsx") },
  { path: "app/settings/profile", load: () => import("../pages/profile/ProfilePage.tsx") },
  { path: "app/settings/sessions", load: () => import("../pages/sessions/SessionsPage.tsx") },
  { path: "app/admin/clients", load: () => import("../pages/clients/ClientsPage.tsx") },
  { path: "app/admin/clients/:id", load: () => import("../pages/client/ClientPage.tsx") },
  { path: "app/admin/operation", load: () => import("../pages/operation/OperationPage.tsx") },
];

/** Target of `/`. */
export const HOME = "app/playground";
