-- What the ledger holds of each session.
-- columns: session, input (cache included), output, cache read, cache write, cost
-- as text, when the first row was written, input and output of the last row
SELECT g.session_id, g.input, g.output, g.cache_read, g.cache_write, g.cost, g.first, l.input_tokens, l.output_tokens
FROM (
  SELECT session_id, sum(input_tokens) AS input, sum(output_tokens) AS output, sum(cache_read_tokens) AS cache_read,
         sum(cache_write_tokens) AS cache_write, CAST(sum(cost) AS TEXT) AS cost, min(created_timestamp) AS first, max(id) AS last
  FROM usage_ledger
  GROUP BY session_id
) AS g
JOIN usage_ledger AS l ON l.id = g.last
