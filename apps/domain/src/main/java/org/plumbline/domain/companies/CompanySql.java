package org.plumbline.domain.companies;

/** The SQL text of all variants of this workload, with PostgreSQL's own numbered parameters. */
public final class CompanySql {

    /** $1: the id. T1, and {@code GET /companies/{id}}. */
    public static final String BY_ID = "SELECT company_id, company_name FROM companies WHERE company_id = $1";

    /** $1: how many. T2, and {@code GET /companies?limit=}. */
    public static final String FIRST = "SELECT company_id, company_name FROM companies ORDER BY company_id LIMIT $1";

    /** $1: the id. T3: one row after two seconds. */
    public static final String SLEEPING =
            "SELECT company_id, company_name, pg_sleep(2) FROM companies WHERE company_id = $1";

    private CompanySql() {}
}
