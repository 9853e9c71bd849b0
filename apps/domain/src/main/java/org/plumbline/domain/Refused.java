package org.plumbline.domain;

/** A request that can't be served as asked; carries the answer. */
public final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public Refused(Problem problem) {
        // Refusals are answers, not faults: a stack trace would only cost time.
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
