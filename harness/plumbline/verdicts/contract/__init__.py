"""The contract: what every application must answer, and the SQL work that an answer may take.

Promises: the golden answers of `apps/contract/golden` are compared byte for byte, the budgets of
`apps/contract/budgets.toml` statement by statement; every difference is said in words. Refuses to know how the
application was started.
"""

# Goes up when the contract changes what applications do or answer; records keep the version they were measured by.
WORKLOAD_VERSION = 1
