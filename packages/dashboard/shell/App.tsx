import { useEffect } from "preact/hooks";
import { loadMe, me } from "../account/session.ts";
import { EmptyState } from "../parts/EmptyState.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { PageHead } from "../parts/PageHead.tsx";
import { Toasts } from "../parts/Toasts.tsx";
import { reportError } from "../parts/toast.ts";
import { useLoad } from "../parts/use-load.ts";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { Frame } from "./Frame.tsx";
import { address, matchPath, navigate } from "./router.ts";
import { HOME, ROUTES, type Route } from "./routes.ts";

const SIGN_IN = "app/sign-in";
const WELCOME = "app/welcome";

/** The page for an address: the visitor may first have to sign in, or to choose a password. */
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

function UnknownPage() {
  return (
    <>
      <PageHead title="No such page" />
      <EmptyState title="Nothing is here">
        The address may have a typing error. <a href="app">Go to the start</a>
      </EmptyState>
    </>
  );
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
  const found = findRoute(shown);
  const page = found ? (
    <ErrorBoundary key={shown}>
      <LazyPage {...found} />
    </ErrorBoundary>
  ) : (
    <UnknownPage />
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
