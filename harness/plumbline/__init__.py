"""Plumbline: benchmarks of JVM web frameworks that anyone can check.

The package has eight parts. A part imports only parts before it, and a room of a part only rooms before it:

    model      the types that all parts share
    machine    what this machine is, and the programs on it
        host       what this machine is made of, and where things lie on it
        tools      JDK, Maven, k6, database binaries: found, downloaded or built
    verdicts   what a number is worth
        stats      numbers in, intervals and ranks out
        contract   what every application must answer, and by which statements
        figures    evidence -> figures
        judge      evidence -> findings
    subjects   what is compared
        catalog    what can be compared: bench.toml, variants
        plan       what would run, in which order, for how long
        change     what a difference of two commits can affect
    archive    what is kept
        record     the record, its manifest, and `verify`
        history    series of sessions, their changes, and alerts
        data       the data branch: checks, lands and reads what is published
    measuring  how it is measured
        build      one command an artifact
        place      CPU sets, and the providers that hold processes in them
        launch     starts processes, and leaves none behind
        services   the database
        observe    samplers and readers: /proc, cgroups, database, JVM
        load       k6
        run        a session: rehearsal, blocks of trials, journal, resume
        cluster    a plan as objects of Kubernetes
        conformance  a built subject against the contract, by a real run
        lifecycle  build, development, start and memory: what a developer waits for
        doctor     is this host fit to measure, condition by condition
    reporting  what is told
        studies    what the five studies published, beside a session of their suite
        report     terminal, Markdown, HTML
        publish    a folder of records -> the public site
        github     the forge: outputs, comments, issues, settings
    cli        the commands

`harness/tests/test_rooms.py` holds this order. What checks all this (made-up records, simulations, the project's own
checks) is no part of it: `harness/laboratory` stands beside.
"""
