-- Sessions (sub-agents folded into their root) with activity in [$1, $2),
-- newest first. $3 harness, $4 project, $5 search text in lower case ('' = any),
-- $6 how many. $7: also those that never had a request or a prompt. $8: only
-- these sessions (empty = any), whose requests lie in [$9, $10). $11: only what
-- comes after the session $14 of harness $13, whose last_at is $12 (none: the
-- least number). The project is that of usage_sessions.sql.
-- columns: native, harness, title, project, branch, parent, relation, first_at,
-- last_at, subagents, prompts, then those of ask_figures.sql
-- Words come out of one list, for each join holds 8 MB (views.sql).
WITH words AS (
  SELECT list(text ORDER BY id) AS texts FROM word
), spent AS (
  SELECT s.root, min(r.ended_at) AS first_at, max(r.ended_at) AS last_at,
         arg_min(r.project, r.ended_at) FILTER (r.project <> 0 AND r.session = s.root) AS own_project, arg_min(r.project, r.ended_at) FILTER (r.project <> 0) AS any_project,
         /* figures */
  FROM request r
  JOIN session s ON s.id = r.session
  LEFT JOIN word m ON m.id = r.model
  LEFT JOIN (SELECT f.id, w.texts[f."precision"] AS text FROM facet f CROSS JOIN words w) pc ON pc.id = r.facet
  WHERE r.ended_at >= greatest($1, $9) AND r.ended_at < least($2, $10) AND (len($8::INTEGER[]) = 0 OR s.root IN (SELECT unnest($8::INTEGER[])))
  GROUP BY s.root
), asked AS (
  SELECT s.root, count(*) FILTER (u.id IS NULL) AS prompts, min(p.happened_at) AS first_at, max(p.happened_at) AS last_at, bool_or($5 <> '' AND contains(lower(p.preview), $5)) AS hit
  FROM prompt p JOIN session s ON s.id = p.session LEFT JOIN unanswered u ON u.id = p.id
  WHERE p.happened_at >= $1 AND p.happened_at < $2
  GROUP BY s.root
), children AS (
  SELECT root, count(*) AS n FROM session WHERE root <> id GROUP BY root
)
SELECT s.native, w.texts[s.harness], s.title, w.texts[coalesce(x.own_project, x.any_project, s.project)], w.texts[s.branch], parent.native, s.relation,
       coalesce(x.first_at, a.first_at), coalesce(greatest(x.last_at, a.last_at), s.last_reply_at), coalesce(c.n, 0), CASE WHEN s.harness IN (SELECT harness FROM prompt) THEN coalesce(a.prompts, 0) END,
       coalesce(x.requests, 0), coalesce(x.coarse, false), x.input, x.output, x.reasoning, x.cache_read, x.cache_write, x.total, x.pusd,
       coalesce(x.priced, 0), coalesce(x.unpriced, 0), coalesce(x.recorded, 0), x.unpriced_models, x.models
FROM session s
CROSS JOIN words w
LEFT JOIN spent x ON x.root = s.id
LEFT JOIN session parent ON parent.id = s.parent
LEFT JOIN asked a ON a.root = s.id
LEFT JOIN children c ON c.root = s.id
WHERE s.root = s.id
  AND (len($8::INTEGER[]) = 0 OR s.id IN (SELECT unnest($8::INTEGER[])))
  AND ($7 OR x.root IS NOT NULL OR a.root IS NOT NULL)
  AND ($3 = '' OR w.texts[s.harness] = $3)
  AND ($4 = '' OR w.texts[coalesce(x.own_project, x.any_project, s.project)] = $4)
  AND ($5 = '' OR coalesce(a.hit, false) OR contains(lower(s.title), $5) OR contains(lower(s.native), $5)
       OR contains(lower(coalesce(w.texts[coalesce(x.own_project, x.any_project, s.project)], '')), $5) OR contains(lower(s.last_reply), $5))
  AND (NOT $11 OR coalesce(greatest(x.last_at, a.last_at), s.last_reply_at, -9223372036854775808) < $12
       OR coalesce(greatest(x.last_at, a.last_at), s.last_reply_at, -9223372036854775808) = $12 AND (s.native, w.texts[s.harness]) > ($14, $13))
ORDER BY coalesce(greatest(x.last_at, a.last_at), s.last_reply_at) DESC NULLS LAST, s.native, w.texts[s.harness]
LIMIT $6;
