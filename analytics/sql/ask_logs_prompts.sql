-- columns: whether the ledger has a prompt of harness $1: of others the number is not reported
SELECT EXISTS (SELECT 1 FROM prompt p JOIN word h ON h.id = p.harness WHERE h.text = $1);
