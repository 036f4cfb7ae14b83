-- How long after the start of a file with a picture its audio begins. Null if it begins with the file.
alter table targets add column audio_offset_seconds double precision;
