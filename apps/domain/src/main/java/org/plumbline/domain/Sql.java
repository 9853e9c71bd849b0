package org.plumbline.domain;

/** The SQL text of the variants that write SQL, with PostgreSQL's own numbered parameters. */
public final class Sql {
    public static final String FRUITS = "SELECT id, name, description FROM fruits ORDER BY id";

    public static final String FRUIT_BY_NAME = "SELECT id, name, description FROM fruits WHERE name = $1";

    /** $1: an array of fruit ids. */
    public static final String PRICES_OF_FRUITS =
            "SELECT fruit_id, store_id, price FROM store_fruit_prices WHERE fruit_id = ANY ($1)"
                    + " ORDER BY fruit_id, store_id";

    /** $1: an array of store ids. */
    public static final String STORES_BY_ID =
            "SELECT id, name, currency, address, city, country FROM stores WHERE id = ANY ($1)";

    public static final String INSERT_FRUIT = "INSERT INTO fruits (name, description) VALUES ($1, $2) RETURNING id";

    /** SQLSTATE of a broken unique constraint. */
    public static final String UNIQUE_VIOLATION = "23505";

    /** Version, isolation, synchronous_commit, and the TLS of the asking backend: the columns of {@link Environment.Database}. */
    public static final String ENVIRONMENT =
            "SELECT split_part(current_setting('server_version'), ' ', 1) AS version,"
                    + " current_setting('transaction_isolation') AS isolation,"
                    + " current_setting('synchronous_commit') AS synchronous_commit,"
                    + " ssl AS tls, version AS tls_version, cipher AS tls_cipher"
                    + " FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

    private Sql() {}

    /** The same text with JDBC's markers; each of our texts names its parameters once and in order. */
    public static String jdbc(String sql) {
        return sql.replaceAll("\\$[0-9]", "?");
    }
}
