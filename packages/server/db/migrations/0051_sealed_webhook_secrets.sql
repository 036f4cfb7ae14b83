-- Secrets are encrypted with a key that is not in the database. Those from before are sealed when the API starts.
alter table webhook_secrets add column is_sealed boolean not null default false;
