-- The laws of the ledger: how often each is broken, with an example.
-- columns: law, broken, example
SELECT 'every request is there once' AS law, count(*) AS broken, min(id::VARCHAR) AS example FROM (SELECT id FROM request GROUP BY id HAVING count(*) > 1)
UNION ALL
SELECT 'every prompt is there once', count(*), min(id::VARCHAR) FROM (SELECT id FROM prompt GROUP BY id HAVING count(*) > 1)
UNION ALL
SELECT 'every tool call is there once', count(*), min(id::VARCHAR) FROM (SELECT id FROM tool_call GROUP BY id HAVING count(*) > 1)
UNION ALL
SELECT 'every turn is there once', count(*), min(id::VARCHAR) FROM (SELECT id FROM turn GROUP BY id HAVING count(*) > 1)
UNION ALL
SELECT 'every session is there once', count(*), min(native) FROM (SELECT harness, native FROM session GROUP BY ALL HAVING count(*) > 1)
UNION ALL
SELECT 'every word is there once', count(*), min(text) FROM (SELECT text FROM word GROUP BY text HAVING count(*) > 1 UNION ALL SELECT min(text) FROM word GROUP BY id HAVING count(*) > 1)
UNION ALL
SELECT 'every request has a session', count(*), min(r.id::VARCHAR) FROM request r LEFT JOIN session s ON s.id = r.session WHERE s.id IS NULL
UNION ALL
SELECT 'every prompt has a session', count(*), min(p.id::VARCHAR) FROM prompt p LEFT JOIN session s ON s.id = p.session WHERE s.id IS NULL
UNION ALL
SELECT 'every request is of its session''s harness', count(*), min(r.id::VARCHAR) FROM request r JOIN session s ON s.id = r.session WHERE s.harness <> r.harness
UNION ALL
SELECT 'every request has a source', count(*), min(r.id::VARCHAR) FROM request r LEFT JOIN source f ON f.id = r.source WHERE f.id IS NULL
UNION ALL
SELECT 'every further sighting is of a request', count(*), min(g.id::VARCHAR) FROM sighting g LEFT JOIN request r ON r.id = g.id WHERE r.id IS NULL
UNION ALL
SELECT 'every session folds into a root', count(*), min(s.native)
FROM session s LEFT JOIN session root ON root.id = s.root LEFT JOIN session parent ON parent.id = s.parent
WHERE root.id IS NULL OR root.root <> root.id
   OR s.relation = 'subagent' AND parent.id IS NOT NULL AND s.root <> parent.root
   OR s.relation <> 'subagent' AND s.root <> s.id
UNION ALL
SELECT 'no request lies outside its session''s time', count(*), min(r.id::VARCHAR)
FROM request r JOIN session s ON s.id = r.session WHERE s.first_at IS NULL OR s.last_at IS NULL OR r.ended_at < s.first_at OR r.ended_at > s.last_at
UNION ALL
SELECT 'no count is below zero', count(*), min(id::VARCHAR)
FROM request WHERE least(coalesce(input, 0), coalesce(output, 0), coalesce(reasoning, 0), coalesce(cache_read, 0), coalesce(cache_write_5m, 0), coalesce(cache_write_1h, 0),
  coalesce(web_searches, 0), coalesce(recorded_pusd, 0)) < 0
UNION ALL
SELECT 'reasoning is a part of output', count(*), min(id::VARCHAR) FROM request
WHERE reasoning > output AND facet NOT IN (SELECT fc.id FROM facet fc JOIN word w ON w.id = fc.rule WHERE w.text = 'remainder'); -- that completes finer rows: its reasoning lies in their output
