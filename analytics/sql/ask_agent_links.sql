-- Which agents may work with which.
-- columns: those of the table agent_link
SELECT from_agent, to_agent, created_at FROM agent_link ORDER BY created_at, from_agent, to_agent;
