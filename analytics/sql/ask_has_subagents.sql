-- columns: whether the ledger has a sub-agent's session of harness $1
SELECT EXISTS (SELECT 1 FROM session s JOIN word h ON h.id = s.harness WHERE h.text = $1 AND s.relation = 'subagent');
