-- What telemetry told of tokens, and what the ledger has of the same harness's
-- sessions in the time that it covers, give or take $1 ms: the two note the end
-- of an answer a moment apart.
-- columns: harness, model, kind, tokens told, tokens of the ledger
WITH covered AS (
  SELECT harness, session, min(since) - $1 AS since, max(until) + $1 AS until FROM told GROUP BY harness, session
), heard AS (
  SELECT harness, model, kind, sum(tokens) AS tokens FROM told GROUP BY harness, model, kind
), sums AS (
  SELECT h.text AS harness, coalesce(m.text, '') AS model, sum(r.input) AS "input", sum(r.output) AS "output", sum(r.cache_read) AS "cacheRead",
         sum(coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0)) AS "cacheWrite"
  FROM request r
  JOIN session s ON s.id = r.session
  JOIN session root ON root.id = s.root
  JOIN word h ON h.id = r.harness
  LEFT JOIN word m ON m.id = r.model
  WHERE EXISTS (SELECT 1 FROM covered c WHERE c.harness = h.text AND c.session IN (root.native, '') AND r.ended_at BETWEEN c.since AND c.until)
  GROUP BY h.text, m.text
), spent AS (
  UNPIVOT sums ON "input", "output", "cacheRead", "cacheWrite" INTO NAME kind VALUE tokens
)
SELECT harness, model, kind, coalesce(t.tokens, 0)::HUGEINT, coalesce(s.tokens, 0)::HUGEINT
FROM heard t FULL JOIN spent s USING (harness, model, kind)
WHERE coalesce(t.tokens, 0) > 0 OR coalesce(s.tokens, 0) > 0
ORDER BY harness, model, kind;
