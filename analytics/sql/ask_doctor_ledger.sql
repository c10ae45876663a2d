-- The ledger itself.
-- columns: requests, sessions, sub-agents, prompts, tool_calls, turns, limits,
-- events, sources, problems, scans, first request, last request, last scan,
-- rows out of time order, DuckDB's version, the price table of the newest row
SELECT (SELECT count(*) FROM request), (SELECT count(*) FROM session), (SELECT count(*) FROM session WHERE relation = 'subagent'),
       (SELECT count(*) FROM prompt), (SELECT count(*) FROM tool_call), (SELECT count(*) FROM turn), (SELECT count(*) FROM rate_limit),
       (SELECT count(*) FROM event), (SELECT count(*) FROM source), (SELECT count(*) FROM problem), (SELECT count(*) FROM scan),
       (SELECT min(ended_at) FROM request), (SELECT max(ended_at) FROM request), (SELECT max(started_at) FROM scan),
       (SELECT count(*) FILTER (ended_at < before) FROM (SELECT ended_at, lag(ended_at) OVER () AS before FROM request)),
       version(), (SELECT w.text FROM word w JOIN facet fc ON w.id = fc.price_table WHERE fc.id = (SELECT arg_max(facet, ended_at) FROM request));
