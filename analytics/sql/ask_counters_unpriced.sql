-- Requests with tokens or a fee and without any cost.
-- columns: harness, provider as logged, requests
SELECT harness, coalesce(provider, ''), count(*)
FROM requests
WHERE cost_pusd IS NULL AND (total_tokens > 0 OR web_searches > 0)
GROUP BY 1, 2
ORDER BY 1, 2;
