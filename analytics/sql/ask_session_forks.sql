-- Sessions that go back to session $1 and are no sub-agents of it.
-- columns: native, relation, title, first_at, last_at (of their requests)
SELECT s.native, s.relation, s.title, s.first_at, s.last_at
FROM session s
WHERE s.parent = $1 AND s.relation <> 'subagent'
ORDER BY s.first_at NULLS LAST, s.native;
