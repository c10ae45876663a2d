-- Sums of all requests by harness, model and, where $1 asks for it, project.
-- columns: harness, model, project, requests, input, output, reasoning, cache
-- read, cache write, recorded pico-USD, list pico-USD of those without a recorded cost
SELECT coalesce(h.text, ''), coalesce(m.text, ''), coalesce(p.text, ''), r.requests, r.input, r.output, r.reasoning, r.cache_read, r.cache_write,
       r.recorded, r.listed
FROM (
  SELECT harness, model, CASE WHEN $1 THEN project END AS project, sum(requests)::BIGINT AS requests, coalesce(sum(input), 0) AS input,
         coalesce(sum(output), 0) AS output, coalesce(sum(reasoning), 0) AS reasoning, coalesce(sum(cache_read), 0) AS cache_read,
         coalesce(sum(cache_write), 0) AS cache_write, coalesce(sum(recorded_pusd), 0) AS recorded,
         coalesce(sum(auto_pusd), 0) - coalesce(sum(recorded_pusd), 0) AS listed
  FROM rollup_day
  GROUP BY ALL
) r
LEFT JOIN word h ON h.id = r.harness
LEFT JOIN word m ON m.id = r.model
LEFT JOIN word p ON p.id = r.project
ORDER BY 1, 2, 3;
