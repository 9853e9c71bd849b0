"""The probes of the contract and their exact answers, a module a workload; make_golden.py writes them."""
