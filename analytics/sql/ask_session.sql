-- The facts of session $1. The project is that of its first request (else of its
-- sub-agents' first one, else as the session says), as in usage_sessions.sql.
-- columns: title, project, branch, parent, relation, root, agent_type, version,
-- last_reply, last_reply_at
SELECT s.title, p.text, b.text, parent.native, s.relation, CASE WHEN s.root <> s.id THEN root.native END, s.agent_type, s.version, s.last_reply, s.last_reply_at
FROM session s
LEFT JOIN session parent ON parent.id = s.parent
LEFT JOIN session root ON root.id = s.root
LEFT JOIN word p ON p.id = coalesce(
  (SELECT arg_min(project, ended_at) FROM request WHERE session = $1 AND project <> 0 AND ended_at BETWEEN s.first_at AND s.last_at),
  (SELECT arg_min(r.project, r.ended_at) FROM request r JOIN session sub ON sub.id = r.session WHERE s.root = s.id AND sub.root = s.id AND r.project <> 0),
  s.project)
LEFT JOIN word b ON b.id = s.branch
WHERE s.id = $1;
