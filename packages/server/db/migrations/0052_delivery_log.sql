-- For the sweep of the log, which begins with the oldest.
create index deliveries_oldest on deliveries (created_at) where state <> 'pending';
