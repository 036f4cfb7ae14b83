import { join } from "node:path";
import { forgetStems, listEngineModels } from "@stemwright/engine";
import { PARTIAL_DIR } from "../blobs/file-blobs.ts";
import { findFirstClientId } from "../db/accounts/client-rows.ts";
import { listGrants } from "../db/accounts/grant-rows.ts";
import { bindQueries } from "../db/bind-queries.ts";
import type { DatabaseProbe } from "../db/connection/database-probe.ts";
import { listDistribution, listUsage } from "../db/credits/usage-rows.ts";
import { findPreviews } from "../db/previews/preview-rows.ts";
import { makeRateCounts } from "../db/requests/make-rate-counts.ts";
import { makeReceiptStore } from "../db/requests/make-receipt-store.ts";
import { findTask } from "../db/tasks/task-rows.ts";
import { makePasswords } from "../domain/accounts/passwords.ts";
import { shareProbes } from "../domain/assets/share-looks.ts";
import type { Links } from "../domain/links.ts";
import type { TaskFeed } from "../domain/tasks/task-feed.ts";
import type { ApiPorts } from "../http/api.ts";
import { makeMediaProbe } from "../media/make-media-probe.ts";
import { makeStemFileMaker } from "../media/make-stem-file-maker.ts";
import type { MediaSandbox } from "../media/open-media-sandbox.ts";
import { makeTranscriptReader } from "../media/transcript-reader.ts";
import { wordsWriter } from "../media/words-writer.ts";
import { makeOperation } from "../monitoring/make-operation.ts";
import type { Readiness } from "../monitoring/readiness.ts";
import { makeUrlRules } from "../net/make-url-rules.ts";
import { openIdentityProvider } from "../oidc/open-identity-provider.ts";
import { makeKeyLookup, makeSessionLookup } from "./caller-lookup.ts";
import { makeStores } from "./make-stores.ts";
import type { OpenedContext, ServiceContext } from "./service-context.ts";

/** What the routes ask of everything else. */
export function makeApiPorts(
  { config, log }: ServiceContext,
  opened: OpenedContext,
  parts: { probe: DatabaseProbe; readiness: Readiness; feed: TaskFeed; links: Links; sandbox: MediaSandbox },
): ApiPorts {
  const { db, blobs, partials, unclaimed, stores, guard, storage, quota } = opened;
  const { probe, readiness, feed, links, sandbox } = parts;
  return {
    ...storage,
    ...stores,
    blobs,
    partials,
    unclaimed,
    quota,
    feed,
    readiness,
    sizeLimits: config.sizeLimits,
    textWriter: wordsWriter,
    passwords: makePasswords(),
    rateCounts: makeRateCounts(db),
    keys: makeKeyLookup(db, log),
    sessions: makeSessionLookup(db, log),
    urls: makeUrlRules(links, guard),
    transcriptReader: makeTranscriptReader(blobs),
    media: shareProbes(makeMediaProbe(blobs, config.load)),
    installed: listEngineModels({ speechNetwork: config.speechModel, modelsDir: config.modelsDir }),
    operation: makeOperation({
      ...{ db, probe, sandbox },
      dataDir: config.dataDir,
      diskFreeMinBytes: config.diskFreeMinBytes,
    }),
    identityProvider: config.oidc && openIdentityProvider(config.oidc),
    admission: { domains: config.oidc?.domains ?? [], findFirstClientId: () => findFirstClientId(db) },
    grants: bindQueries(db, { listGrants }),
    previews: bindQueries(db, { findPreviews }),
    statistics: bindQueries(db, { listUsage, listDistribution }),
    writes: {
      stores,
      receipts: makeReceiptStore({
        db,
        vault: storage.vault,
        makeStores: (handle) =>
          makeStores(handle, {
            rules: config.queueRules,
            uploadRules: config.uploadRules,
            vault: storage.vault,
          }),
      }),
    },
    stemCache: {
      async forget(taskId) {
        await forgetStems(config.cacheDir, taskId);
      },
    },
    exports: {
      findTask: (id) => findTask(db, id),
      stemFiles: makeStemFileMaker(blobs, join(config.blobsDir, PARTIAL_DIR)),
    },
  };
}
