-- What session rows show besides numbers, by root session.
-- Columns: root's number, its own id, harness, title, project (of the root's
-- first request, else of the first one, else as its session says), the id of
-- the session that it was forked from or continues, first and last request,
-- number of sub-agents with a request.
WITH chosen AS (
  SELECT s.root, r.session, r.project, r.ended_at
  FROM request r JOIN session s ON s.id = r.session
  WHERE {where}
),
grouped AS (
  SELECT root, min(ended_at) AS first_at, max(ended_at) AS last_at, count(DISTINCT session) FILTER (session <> root) AS subagents,
         arg_min(project, ended_at) FILTER (project <> 0 AND session = root) AS own_project, arg_min(project, ended_at) FILTER (project <> 0) AS any_project
  FROM chosen
  GROUP BY root
)
SELECT g.root, s.native, hw.text, nullif(s.title, ''), pw.text, parent.native, g.first_at, g.last_at, g.subagents
FROM grouped g
JOIN session s ON s.id = g.root
LEFT JOIN session parent ON parent.id = s.parent
LEFT JOIN word hw ON hw.id = s.harness
LEFT JOIN word pw ON pw.id = coalesce(g.own_project, g.any_project, nullif(s.project, 0))
