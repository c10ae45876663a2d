-- Calls of tools in [$1, $2) (epoch ms) by tool, with the requests that carried
-- their results: of the session that the agent had then (as it is known now, else as
-- it was known then), the first that ended after the call. Several calls may have one request, which
-- counts once for each tool.
-- columns: exposed, package, calls, ok, cancelled, result bytes, progress lines,
-- median and 95th percentile of handled ms, median of woke ms, newest call (epoch
-- ms), calls with a known request, requests, their new input tokens (uncached and
-- written to the cache), their cost in pico-USD (null: no price), requests without one
WITH call AS (
  SELECT c.*, coalesce(
    (SELECT max(b.session) FROM binding b WHERE b.agent = c.agent AND coalesce(b.from_ms, 0) <= c.started_at AND coalesce(b.to_ms, 9223372036854775807) > c.started_at),
    nullif(c.session, '')) AS native
  FROM bridge_call c WHERE c.started_at >= $1 AND c.started_at < $2
), spent AS (
  SELECT s.native, r.ended_at, r.id, coalesce(r.input, 0) + coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0) AS fresh,
         coalesce(r.recorded_pusd::HUGEINT, r.list_pusd) AS pusd
  FROM request r JOIN session s ON s.id = r.session
  WHERE r.ended_at >= $1 AND s.native IN (SELECT native FROM call)
), carried AS (
  SELECT call.exposed, spent.id AS request, spent.fresh, spent.pusd
  FROM call ASOF LEFT JOIN spent ON call.native = spent.native AND call.ended_at < spent.ended_at
), one AS (
  SELECT exposed, request, any_value(fresh) AS fresh, any_value(pusd) AS pusd, count(*) AS calls
  FROM carried WHERE request IS NOT NULL GROUP BY exposed, request
), paid AS (
  SELECT exposed, sum(calls) AS known, count(*) AS requests, sum(fresh) AS fresh, sum(pusd) AS pusd, count(*) - count(pusd) AS unpriced FROM one GROUP BY exposed
), told AS (
  SELECT exposed, any_value(package) AS package, count(*) AS calls, count_if(outcome = 'ok') AS ok, count_if(outcome = 'cancelled') AS cancelled,
         sum(result_bytes) AS result_bytes, sum(progress) AS progress, quantile_disc(handled_ms, 0.5) AS p50, quantile_disc(handled_ms, 0.95) AS p95,
         quantile_disc(woke_ms, 0.5) AS woke, max(started_at) AS newest
  FROM call GROUP BY exposed
)
SELECT told.exposed, told.package, told.calls, told.ok, told.cancelled, told.result_bytes::BIGINT, told.progress::BIGINT, told.p50, told.p95, told.woke, told.newest,
       coalesce(paid.known, 0)::BIGINT, coalesce(paid.requests, 0), coalesce(paid.fresh, 0)::BIGINT, paid.pusd, coalesce(paid.unpriced, 0)
FROM told LEFT JOIN paid ON paid.exposed = told.exposed
ORDER BY told.calls DESC, told.exposed;
