-- What session rows show of the root sessions {roots}, of which the report has
-- prompts but no request: as usage_sessions.sql, with the times of the prompts.
-- Columns: root's number, its own id, harness, title, project, the id of the
-- session that it was forked from or continues, first and last prompt.
SELECT s.id, s.native, hw.text, nullif(s.title, ''), pw.text, parent.native, a.first_at, a.last_at
FROM (
  SELECT s.root, min(p.happened_at) AS first_at, max(p.happened_at) AS last_at, arg_min(p.project, p.happened_at) FILTER (p.project <> 0) AS project
  FROM prompt p JOIN session s ON s.id = p.session
  WHERE s.root IN {roots} AND {where} AND p.id NOT IN (SELECT id FROM unanswered)
  GROUP BY s.root
) a
JOIN session s ON s.id = a.root
LEFT JOIN session parent ON parent.id = s.parent
LEFT JOIN word hw ON hw.id = s.harness
LEFT JOIN word pw ON pw.id = coalesce(nullif(s.project, 0), a.project)
