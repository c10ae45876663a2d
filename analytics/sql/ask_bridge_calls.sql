-- The newest $5 calls of tools since $4 (epoch ms) of an agent $1, a package $2 and a
-- tool $3 (by either name), each '' for all; newest first.
-- columns: those of the table bridge_call
SELECT id, started_at, ended_at, agent, session, via, package, version, tool, exposed, tool_digest, tree_digest, instance,
       queued_ms, woke_ms, handled_ms, argument_bytes, argument_shape, result_bytes, items, removed, progress, outcome, era, trace_id,
       arguments, answer
FROM bridge_call
WHERE ($1 = '' OR agent = $1) AND ($2 = '' OR package = $2) AND ($3 = '' OR tool = $3 OR exposed = $3) AND started_at >= $4
ORDER BY started_at DESC, id DESC
LIMIT $5;
