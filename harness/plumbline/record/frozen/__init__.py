"""Keep the verifiers of older versions for ever: each recomputes a record by the rules and formulas that the record
names.

`harness/frozen/` holds one archive for each pair (rules, figures) that records name: the modules that `verify` imports,
out of one commit of this repository, as a zip file that Python runs. Only archives whose digest stands in
`harness/frozen/index.json` are run, in a process of their own with bounds on time and memory. Nothing that lies beside
a record is ever run.
"""
