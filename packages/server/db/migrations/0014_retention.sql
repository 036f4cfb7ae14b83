create index assets_oldest on assets (created_at);
-- Inputs that unfinished Tasks still need.
create index tasks_unfinished_assets on tasks (asset_id) where completed_at is null and asset_id is not null;
create index tasks_unfinished_urls on tasks (id) where completed_at is null and url is not null;
create index targets_unfinished_transcripts on targets ((wishes ->> 'transcriptAssetId'))
  where status = 'processing' and wishes ? 'transcriptAssetId';

alter table tasks add column outputs_removed_at timestamptz;
-- Finished Tasks whose outputs are still kept here; those written to a client's own bucket are not ours to remove.
create index tasks_with_outputs on tasks (completed_at)
  where completed_at is not null and outputs_removed_at is null and write_destination is null;
