-- Sessions whose id is $1 (harness $2, '' for any).
-- columns: those of ask_session_id.sql
SELECT s.id, h.text AS harness, s.native, CASE WHEN s.relation = 'subagent' THEN s.parent ELSE 0 END AS parent, nullif(s.title, '') AS title, s.last_at, true AS exact
FROM session s
JOIN word h ON h.id = s.harness
WHERE s.native = $1 AND ($2 = '' OR h.text = $2)
ORDER BY s.last_at DESC NULLS LAST, s.native
LIMIT 10000;
