import { render } from "preact";
import { App } from "./shell/App.tsx";
import { startRouter } from "./shell/router.ts";

startRouter();
const place = document.getElementById("app");
if (place) render(<App />, place);
