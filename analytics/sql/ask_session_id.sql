-- Sessions whose id is, or begins with, $1 (harness $2, '' for any).
-- columns: id, harness, native, parent, title, last_at, exact
SELECT s.id, h.text AS harness, s.native, CASE WHEN s.relation = 'subagent' THEN s.parent ELSE 0 END AS parent, nullif(s.title, '') AS title, s.last_at, s.native = $1 AS exact
FROM session s
JOIN word h ON h.id = s.harness
WHERE starts_with(s.native, $1) AND ($2 = '' OR h.text = $2)
ORDER BY exact DESC, s.last_at DESC NULLS LAST, s.native
LIMIT 10000;
