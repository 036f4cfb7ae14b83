-- How many samples of an output were cut off at full scale; null where none were.
alter table outputs add column clipped_samples bigint;

-- Looked into when more than eight channels were refused: they are looked into again.
update assets set media = null where media ->> 'message' like '%channels; 8 is the most%';
