import { modelsDir } from "../environment.ts";
import { openClient } from "./open-client.ts";

type Row = { id: string; state: string; licence: string };

async function listInstalled(): Promise<Row[]> {
  const { listEngineModels } = await import("@stemwright/engine");
  return listEngineModels({ modelsDir: modelsDir() }).map(({ id, weights }) => ({
    id,
    state: "installed",
    licence: weights.licence,
  }));
}

async function listServed(server: string | true): Promise<Row[]> {
  const models = await openClient(server).models.list();
  return models.map(({ id, access, installed, weights }) => ({
    id,
    state: installed ? access : "not installed",
    licence: weights?.licence ?? "",
  }));
}

export async function listModels({ server, json }: { server?: string | true; json: boolean }): Promise<void> {
  const rows = server === undefined ? await listInstalled() : await listServed(server);
  const idWidth = Math.max(...rows.map(({ id }) => id.length));
  const stateWidth = Math.max(...rows.map(({ state }) => state.length));
  for (const row of rows)
    process.stdout.write(
      json
        ? `${JSON.stringify(row)}\n`
        : `${row.id.padEnd(idWidth)}  ${row.state.padEnd(stateWidth)}  ${row.licence}\n`,
    );
}
