-- Session $1 and its sub-agents at any depth, the session itself first.
-- columns: id, native, parent native, agent_type, title, first_at, last_at (of its requests)
WITH RECURSIVE tree(id, depth) AS (
  SELECT $1::INTEGER, 0
  UNION ALL
  SELECT s.id, t.depth + 1 FROM session s JOIN tree t ON s.parent = t.id WHERE s.relation = 'subagent' AND t.depth < 100
)
SELECT s.id, s.native, parent.native, s.agent_type, s.title, s.first_at, s.last_at
FROM (SELECT id, min(depth) AS depth FROM tree GROUP BY id) t
JOIN session s ON s.id = t.id
LEFT JOIN session parent ON parent.id = s.parent
ORDER BY t.depth, s.first_at NULLS LAST, s.native;
