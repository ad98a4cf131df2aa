"""The base that every release trusts: bits, coins, draws, integer scores, promises and budgets."""
