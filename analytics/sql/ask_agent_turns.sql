-- The turns of agent $1, oldest first.
-- columns: those of the table agent_turn
SELECT agent, generation, prompt_id, started_at, ended_at, ended_as FROM agent_turn WHERE agent = $1 ORDER BY started_at;
