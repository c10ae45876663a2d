-- The sessions of agent $1, of all agents for an empty one, in the order in which they were bound.
-- columns: those of the table binding
SELECT agent, harness, session, source, generation, from_ms, to_ms
FROM binding WHERE $1 = '' OR agent = $1
ORDER BY agent, generation, from_ms NULLS FIRST, session;
