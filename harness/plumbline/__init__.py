"""Plumbline: benchmarks of JVM web frameworks that anyone can check.

The rooms of this package are the stages of its pipeline, and each imports only what lies before it:

    model      the types that flow
    stats      numbers in, intervals and ranks out
    host       what this machine is made of, and where things lie on it
    catalog    what can be compared: bench.toml, variants
    plan       what would run, in which order, for how long
    tools      JDK, Maven, k6, database binaries: found, downloaded or built
    change     what a difference of two commits can affect
    build      one command an artifact
    place      CPU sets, and the providers that hold processes in them
    launch     starts processes, and leaves none behind
    services   the database
    observe    samplers and readers: /proc, cgroups, database, JVM
    contract   the probes that every application must answer
    load       k6
    figures    evidence -> figures
    judge      evidence -> findings
    record     the record, its manifest, and `verify`
    history    series of sessions, their changes, and alerts
    data       the data branch: checks, lands and reads what is published
    github     the forge: outputs, comments, issues, settings
    run        a session: rehearsal, blocks of trials, journal, resume
    cluster    a plan as objects of Kubernetes
    conformance  a built subject against the contract, by a real run
    lifecycle  build, development, start and memory: what a developer waits for
    studies    what the five studies published, beside a session of their suite
    doctor     is this host fit to measure, condition by condition
    report     terminal, Markdown, HTML
    publish    a folder of records -> the public site

`cli` stands on top of all of them. `harness/tests/test_rooms.py` holds this order. What checks all this (made-up
records, simulations, the project's own checks) is no part of it: `harness/laboratory` stands beside.
"""
