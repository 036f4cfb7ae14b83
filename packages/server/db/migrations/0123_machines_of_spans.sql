-- What of a machine decides the samples it computes: the spans of a pass are made on machines of one kind. Workers that make none have none.
alter table span_parts add column machine text not null default '';
alter table workers add column machine text;
