-- Why a worker takes no Task now, and the room left on its disk.
alter table workers add column fault text;
alter table workers add column disk_free_bytes bigint;
-- How often a full disk has returned the Task since it last advanced, and the bytes it needs as far as that is known.
alter table tasks add column room_returns smallint not null default 0;
alter table tasks add column room_needed_bytes bigint;
