package org.plumbline.domain;

/** The SQL text of the variants that write SQL, where MySQL needs other words than PostgreSQL: {@link #text} of the rest. */
public final class MySql {
    /** :ids, as many as there are: MySQL has no arrays. */
    public static final String PRICES_OF_FRUITS =
            "SELECT fruit_id, store_id, price FROM store_fruit_prices WHERE fruit_id IN (:ids)"
                    + " ORDER BY fruit_id, store_id";

    /** :ids, as many as there are. */
    public static final String STORES_BY_ID =
            "SELECT id, name, currency, address, city, country FROM stores WHERE id IN (:ids)";

    /** The driver tells the id that the row was given. */
    public static final String INSERT_FRUIT = "INSERT INTO fruits (name, description) VALUES (?, ?)";

    /** As {@link Sql#ENVIRONMENT}; a commit is durable when the log is flushed with it. */
    public static final String ENVIRONMENT =
            "SELECT @@version AS version, LOWER(REPLACE(@@transaction_isolation, '-', ' ')) AS isolation,"
                    + " IF(@@innodb_flush_log_at_trx_commit = 1, 'on', 'off') AS synchronous_commit,"
                    + " v.VARIABLE_VALUE <> '' AS tls, NULLIF(v.VARIABLE_VALUE, '') AS tls_version,"
                    + " NULLIF(c.VARIABLE_VALUE, '') AS tls_cipher"
                    + " FROM performance_schema.session_status v JOIN performance_schema.session_status c"
                    + " ON c.VARIABLE_NAME = 'Ssl_cipher' WHERE v.VARIABLE_NAME = 'Ssl_version'";

    private MySql() {}

    /** The same text with MySQL's markers, which are those of JDBC, and its name of the function that waits. */
    public static String text(String sql) {
        return Sql.jdbc(sql).replace("pg_sleep(", "SLEEP(");
    }
}
