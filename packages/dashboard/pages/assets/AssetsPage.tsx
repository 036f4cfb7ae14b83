import type { Asset } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { toOwnLink } from "../../data/own-link.ts";
import { Age } from "../../parts/Age.tsx";
import { Button } from "../../parts/Button.tsx";
import { ConfirmDialog } from "../../parts/ConfirmDialog.tsx";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { formatBytes } from "../../parts/format.ts";
import { Icon } from "../../parts/Icon.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { Pager } from "../../parts/Pager.tsx";
import { SearchField } from "../../parts/SearchField.tsx";
import { announce } from "../../parts/toast.ts";
import { useLoad } from "../../parts/use-load.ts";
import { UnfinishedUploads } from "./UnfinishedUploads.tsx";
import "./assets.css";

const PAGE_SIZE = 25;

function AssetRow({ asset, onDelete }: { asset: Asset; onDelete: () => void }) {
  return (
    <tr>
      <td>
        <span class="asset-name">{asset.name}</span>
      </td>
      <td class="number">{formatBytes(asset.size)}</td>
      <td class="muted wide-only">
        <Age at={asset.createdAt} />
      </td>
      <td>
        <div class="row asset-actions">
          <a
            class="button button-small wide-only"
            href={`app/tasks?search=${encodeURIComponent(asset.name)}`}
          >
            Tasks<span class="visually-hidden"> of {asset.name}</span>
          </a>
          <a
            class="button button-small button-icon"
            href={toOwnLink(asset.link)}
            download={asset.name}
            aria-label={`Download ${asset.name}`}
            title={`Download ${asset.name}`}
          >
            <Icon name="download" />
          </a>
          <Button kind="danger" isSmall icon="trash" label={`Delete ${asset.name}`} onClick={onDelete} />
        </div>
      </td>
    </tr>
  );
}

function AssetTable({ assets, onDelete }: { assets: readonly Asset[]; onDelete: (asset: Asset) => void }) {
  return (
    <div class="card card-flush table-wrap">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col" class="number">
              Size
            </th>
            <th scope="col" class="wide-only">
              Uploaded
            </th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <AssetRow key={asset.id} asset={asset} onDelete={() => onDelete(asset)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoAssets({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No file matches">Search for another name or id.</EmptyState>;
  return (
    <EmptyState title="No files yet">
      Files that you drop in the <a href="app/playground">playground</a>, or send to <code>POST /assets</code>
      , are listed here.
    </EmptyState>
  );
}

export default function AssetsPage() {
  const [skip, setSkip] = useState(0);
  const [doomed, setDoomed] = useState<Asset>();
  const [search, setSearch] = useState("");
  const page = useLoad(
    (signal) => apiClient.assets.list({ skip, take: PAGE_SIZE, search }, { signal }).page(),
    [skip, search],
  );

  async function remove({ id, name }: Asset) {
    await apiClient.assets.delete(id);
    announce(`${name} is deleted.`);
    page.reload();
  }

  return (
    <>
      <PageHead title="Assets" lead="Uploaded files: inputs of Tasks, and texts to align." />
      <div class="stack">
        <UnfinishedUploads />
        <search class="row">
          <SearchField
            label="Search files"
            hint="Name or id"
            value={search}
            onChange={(text) => {
              setSkip(0);
              setSearch(text);
            }}
          />
        </search>
        <Loaded loaded={page}>
          {({ items, total }) =>
            items.length === 0 ? (
              <NoAssets isFiltered={search !== ""} />
            ) : (
              <div class="stack">
                <AssetTable assets={items} onDelete={setDoomed} />
                <Pager skip={skip} take={PAGE_SIZE} total={total} onChange={setSkip} />
              </div>
            )
          }
        </Loaded>
      </div>
      {doomed && (
        <ConfirmDialog
          title="Delete this file?"
          action="Delete the file"
          onConfirm={() => remove(doomed)}
          onClose={() => setDoomed(undefined)}
        >
          {doomed.name} can't be used for Tasks any more. Outputs that were made from it stay.
        </ConfirmDialog>
      )}
    </>
  );
}
