-- The parts of the messages whose ids ?1 lists (a JSON array). Of a part of more
-- than ?2 bytes only the first ?3 and the last ?4. Ids and texts are BLOBs: the
-- driver asks for the declared type of every TEXT that it hands out.
-- columns: message (its place in the list), id, text (or its beginning), end (of a long one, else NULL)
SELECT m.key, CAST(p.id AS BLOB),
  CASE WHEN octet_length(p.data) > ?2 THEN substr(CAST(p.data AS BLOB), 1, ?3) ELSE CAST(p.data AS BLOB) END,
  CASE WHEN octet_length(p.data) > ?2 THEN substr(CAST(p.data AS BLOB), -?4) END
FROM json_each(?1) m CROSS JOIN part p ON p.message_id = m.value
