-- What the logs say of the sessions that are bound to agents now, the newest of an agent last.
-- columns: agent, harness, native id, title, model of the newest request, last reply, its time
SELECT b.agent, b.harness, b.session, s.title, (
    SELECT any_value(m.text) FROM request r JOIN word m ON m.id = r.model WHERE r.session = s.id AND r.ended_at = s.last_at
  ), s.last_reply, s.last_reply_at
FROM binding b
JOIN word h ON h.text = b.harness
JOIN session s ON s.harness = h.id AND s.native = b.session
WHERE b.to_ms IS NULL
ORDER BY b.agent, b.generation, s.last_at NULLS FIRST;
