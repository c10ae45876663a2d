-- The facts of session $1.
-- columns: title, project, branch, parent, relation, root, agent_type, version,
-- last_reply, last_reply_at
SELECT s.title, p.text, b.text, parent.native, s.relation, CASE WHEN s.root <> s.id THEN root.native END, s.agent_type, s.version, s.last_reply, s.last_reply_at
FROM session s
LEFT JOIN session parent ON parent.id = s.parent
LEFT JOIN session root ON root.id = s.root
LEFT JOIN word p ON p.id = s.project
LEFT JOIN word b ON b.id = s.branch
WHERE s.id = $1;
