import { type Dashboard, loadDashboard } from "../http/dashboard/load-dashboard.ts";

/** The built dashboard, or why there is none: the API works without it. */
export async function openDashboard(): Promise<Dashboard | string> {
  try {
    // Loaded here: an installation may leave the dashboard out.
    const { buildDashboard } = await import("@stemwright/dashboard/build");
    return await loadDashboard(await buildDashboard());
  } catch (error) {
    return (error as Error).message;
  }
}
