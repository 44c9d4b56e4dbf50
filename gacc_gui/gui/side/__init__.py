"""What stands beside the texts: ledger, boundary, budget, audit, identities."""
