import { useEffect } from "preact/hooks";
import { loadMe, me } from "../account/session.ts";
import { Loaded } from "../parts/Loaded.tsx";
import { Missing } from "../parts/Missing.tsx";
import { Toasts } from "../parts/Toasts.tsx";
import { reportError } from "../parts/toast.ts";
import { useLoad } from "../parts/use-load.ts";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { Frame } from "./Frame.tsx";
import { address, matchPath, navigate } from "./router.ts";
import { HOME, ROUTES, type Route } from "./routes.ts";

const SIGN_IN = "app/sign-in";
const WELCOME = "app/welcome";
const ADMINISTRATION = "app/admin/";

/** The page for an address: the visitor may have to sign in first, or choose a password. */
function findShown(path: string): string {
  if (path !== WELCOME && findRoute(path)?.route.isPublic) return path;
  if (me.value === null) return SIGN_IN;
  return me.value?.needsPassword ? WELCOME : path;
}

function findRoute(path: string) {
  for (const route of ROUTES) {
    const params = matchPath(route.path, path);
    if (params) return { route, params };
  }
  return undefined;
}

function LazyPage({ route, params }: { route: Route; params: Record<string, string> }) {
  const page = useLoad(async () => (await route.load()).default, [route]);
  return <Loaded loaded={page}>{(Page) => <Page params={params} />}</Loaded>;
}

function CurrentPage() {
  const { path } = address.value;
  const isHome = path === "" || path === "app";
  useEffect(() => {
    if (isHome) navigate(HOME, { replaces: true });
  }, [isHome]);
  const shown = findShown(path);
  if (shown.startsWith(ADMINISTRATION) && me.value && !me.value.person.isAdministrator)
    return (
      <Frame>
        <Missing title="For administrators">
          This page is for those who run the installation. <a href="app">Go to the playground</a>.
        </Missing>
      </Frame>
    );
  const found = findRoute(shown);
  const page = found ? (
    <ErrorBoundary key={shown}>
      <LazyPage {...found} />
    </ErrorBoundary>
  ) : (
    <Missing title="Page not found">
      Check the address for a typing error, or <a href="app">go to the playground</a>.
    </Missing>
  );
  if (found?.route.isPublic) return <div class="alone">{page}</div>;
  if (me.value === undefined || isHome) return null;
  return <Frame>{page}</Frame>;
}

export function App() {
  useEffect(() => void loadMe().catch(reportError), []);
  return (
    <>
      <CurrentPage />
      <Toasts />
    </>
  );
}
