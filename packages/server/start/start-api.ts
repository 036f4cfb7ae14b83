import { setTimeout as wait } from "node:timers/promises";
import { openPresigner } from "../blobs/open-presigner.ts";
import { addCompatRoutes } from "../compat/compat-routes.ts";
import { makeLegacyPorts } from "../compat/jobs/legacy-ports.ts";
import { addLegacyRoutes } from "../compat/jobs/legacy-routes.ts";
import { openDatabaseProbe } from "../db/connection/database-probe.ts";
import { openDatabase } from "../db/connection/open-database.ts";
import { limitAnswers, STOPPING_ANSWER_MS } from "../db/connection/steady-client.ts";
import { findSchemaFault } from "../db/schema/schema-fault.ts";
import { openTaskChanges } from "../db/tasks/task-changes.ts";
import { findTask, listProgressMarks } from "../db/tasks/task-rows.ts";
import { renderDelivery } from "../deliveries/render-delivery.ts";
import { type DeliveryOptions, type DeliveryPorts, startDeliveries } from "../deliveries/start-deliveries.ts";
import { type Links, makeLinks } from "../domain/links.ts";
import { makeOutputLinks } from "../domain/storage/output-links.ts";
import { makeTaskFeed } from "../domain/tasks/task-feed.ts";
import { openMultipleListeners } from "../http/connections/multiple-listeners.ts";
import type { Dashboard } from "../http/dashboard/load-dashboard.ts";
import { makeApp } from "../http/make-app.ts";
import { startSweeper, sweep } from "../maintenance/sweeper.ts";
import { openMediaSandbox } from "../media/open-media-sandbox.ts";
import { makeReadiness } from "../monitoring/readiness.ts";
import { type SchemaWatch, watchSchema } from "../monitoring/schema-watch.ts";
import { makeApiPorts } from "./make-api-ports.ts";
import {
  type OpenedContext,
  openServiceContext,
  openServiceTracer,
  type ServiceContext,
  toPool,
} from "./service-context.ts";

/** The sweeper has its own connections, so that it takes none from requests and may be slow. */
const SWEEP_POOL_SIZE = 2;
const SWEEP_STATEMENT_TIMEOUT_MS = 600_000;
/** How soon an API notices that another release has changed the schema too far for it. */
const SCHEMA_LOOK_MS = 5000;

/** Changes of Tasks, received on one connection for all followers. */
function openTaskFeed({ databaseUrl, log }: ServiceContext, { db }: OpenedContext) {
  const changes = openTaskChanges({
    connectionString: databaseUrl,
    onError: (error) => log.warn({ err: error }, "LISTEN connection lost, reconnecting"),
  });
  const feed = makeTaskFeed({
    changes,
    findTask: (id) => findTask(db, id),
    listMarks: (ids) => listProgressMarks(db, ids),
    onError: (error) => log.warn({ err: error }, "failed to read a followed Task"),
  });
  return { changes, feed };
}

function startSweeping(context: ServiceContext, { blobs, partials }: OpenedContext, schema: SchemaWatch) {
  const { db } = openDatabase({
    ...toPool(context),
    maxConnections: SWEEP_POOL_SIZE,
    statementTimeoutMs: SWEEP_STATEMENT_TIMEOUT_MS,
  });
  const sweeper = startSweeper(context.log, async (signal) =>
    isFit(schema) ? await sweep({ db, blobs, partials, config: context.config }, signal) : {},
  );
  return { sweeper, db };
}

const isFit = (schema: SchemaWatch) => schema.findFault() === undefined;

async function makeServiceOutputLinks(
  { config, log }: ServiceContext,
  { storage }: OpenedContext,
  own: Links,
) {
  return makeOutputLinks({
    ports: storage,
    own,
    presignOwn: await openPresigner(config),
    onFailure: (error) => log.warn({ err: error }, "failed to presign a link"),
  });
}

async function getDashboard({ dashboard, log }: ServiceContext): Promise<Dashboard | string> {
  const found = (await dashboard) ?? "This process was started without one.";
  if (dashboard && typeof found === "string") log.warn({ reason: found }, "dashboard not available");
  return found;
}

/** The HTTP server and the webhook sender. It listens at `address` when this resolves. */
export async function startApi(
  context: ServiceContext & {
    deliveries?: Partial<DeliveryOptions>;
    /** Runs before the API reports that it is ready. */
    whenListening?: (address: string) => Promise<void>;
  },
) {
  const { config, log } = context;
  let address = "";
  const publicBaseUrl = () => config.publicBaseUrl ?? address;

  const sandbox = await openMediaSandbox(config, log);
  const opened = await openServiceContext(context, { maxConnections: config.apiPoolSize });
  const { db, blobs, secret, guard, storage, quota, room } = opened;
  const probe = openDatabaseProbe(toPool(context).connectionString);
  const schema = watchSchema({ findFault: () => findSchemaFault(db), intervalMs: SCHEMA_LOOK_MS, log });
  const readiness = makeReadiness({ probe, schema, store: blobs, room, findOutage: context.findOutage });
  const { changes, feed } = openTaskFeed(context, opened);
  const sweeping = startSweeping(context, opened, schema);
  const links = makeLinks({ secret, baseUrl: publicBaseUrl });
  const outputLinks = await makeServiceOutputLinks(context, opened, links);
  const ports = makeApiPorts(context, opened, { probe, readiness, feed, links, sandbox });
  const legacy = makeLegacyPorts({ db, blobs, links, guard });
  const dashboard = await getDashboard(context);
  const tracer = openServiceTracer(context, "api");
  const app = await makeApp({
    ...{ ports, links, outputLinks, config, publicBaseUrl, dashboard, tracer },
    logger: log,
    addOtherRoutes: async (api) => {
      await addLegacyRoutes({ ...api, legacy });
      await addCompatRoutes(api);
    },
  });
  const endStart = readiness.beginStart();
  address = (await openMultipleListeners(app, config)).replace("[::1]", "localhost");
  await context.whenListening?.(publicBaseUrl());
  endStart();
  const render: DeliveryPorts["render"] = (delivery) => renderDelivery(db, { links, outputLinks }, delivery);
  const deliveries = startDeliveries(
    { db, vault: storage.vault, guard, log, render, mayTake: () => isFit(schema) },
    context.deliveries,
  );
  return {
    address: publicBaseUrl(),
    async close(): Promise<void> {
      readiness.drain();
      if (config.drainMs > 0)
        await wait(config.drainMs, undefined, { signal: context.forceStop }).catch(() => {});
      const endLimit = limitAnswers(STOPPING_ANSWER_MS);
      schema.close();
      await app.close();
      await tracer?.close();
      await deliveries.close();
      feed.close();
      await sweeping.sweeper.close();
      await changes.close();
      await guard.close();
      await probe.close();
      await sweeping.db.destroy();
      quota.close();
      await db.destroy();
      endLimit();
    },
  };
}
