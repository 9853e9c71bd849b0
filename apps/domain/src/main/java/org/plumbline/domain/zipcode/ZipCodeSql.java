package org.plumbline.domain.zipcode;

/** The SQL text of the variants that write SQL, with PostgreSQL's own numbered parameters. */
public final class ZipCodeSql {
    private static final String COLUMNS = "zip, type, city, state, county, timezone";

    /** $1: the zip code. */
    public static final String BY_KEY = "SELECT " + COLUMNS + " FROM zipcode WHERE zip = $1";

    /** $1: the city. */
    public static final String BY_CITY = "SELECT " + COLUMNS + " FROM zipcode WHERE city = $1 ORDER BY zip";

    /** $1 to $6: the columns in their order. */
    public static final String INSERT = "INSERT INTO zipcode (" + COLUMNS + ") VALUES ($1, $2, $3, $4, $5, $6)";

    private ZipCodeSql() {}
}
