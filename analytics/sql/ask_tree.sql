-- Session $1 and every session that is folded into the same root.
-- columns: id, native, parent, parent native, whether it is a sub-agent, agent_type, title, first_at, last_at (of its requests)
SELECT s.id, s.native, s.parent, parent.native, s.relation = 'subagent', s.agent_type, s.title, s.first_at, s.last_at
FROM session s
LEFT JOIN session parent ON parent.id = s.parent
WHERE s.root = (SELECT root FROM session WHERE id = $1)
ORDER BY s.first_at NULLS LAST, s.native;
