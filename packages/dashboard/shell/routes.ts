import type { ComponentType } from "preact";

export type PageProps = { params: Record<string, string> };

export type Route = {
  /** Below the service's address; `:name` stands for one part of it. */
  path: string;
  load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** Shown without an account, and without the navigation. */
  isPublic?: boolean;
};

/** Every page, each loaded when it is first opened. */
export const ROUTES: readonly Route[] = [
  { path: "app/sign-in", load: () => import("../pages/sign-in/SignInPage.tsx"), isPublic: true },
  { path: "app/invitation", load: () => import("../pages/invitation/InvitationPage.tsx"), isPublic: true },
  { path: "app/welcome", load: () => import("../pages/welcome/WelcomePage.tsx"), isPublic: true },
  { path: "app/playground", load: () => import("../pages/playground/PlaygroundPage.tsx") },
  { path: "app/tasks", load: () => import("../pages/tasks/TasksPage.tsx") },
  { path: "app/tasks/:id", load: () => import("../pages/task/TaskPage.tsx") },
  { path: "app/assets", load: () => import("../pages/assets/AssetsPage.tsx") },
  { path: "app/models", load: () => import("../pages/models/ModelsPage.tsx") },
];

/** Where `/` leads. */
export const HOME = "app/playground";
