package org.plumbline.app.plumbing;

import java.util.Map;
import java.util.Properties;

/** What differs between the two databases: the address, the words for TLS, and a few words of SQL. */
public enum Engine {
    PG(
            "postgresql",
            "pgjdbc",
            "pg_sleep(2)",
            "SELECT split_part(current_setting('server_version'), ' ', 1), current_setting('transaction_isolation'),"
                    + " current_setting('synchronous_commit'), ssl, version, cipher"
                    + " FROM pg_stat_ssl WHERE pid = pg_backend_pid()") {
        @Override
        void limit(Properties properties, int timeoutMs) {
            String seconds = Integer.toString(Math.max(1, timeoutMs / 1000));
            properties.setProperty("connectTimeout", seconds);
            properties.setProperty("loginTimeout", seconds);
        }

        @Override
        void configure(Properties properties, Map<String, String> env) {
            properties.setProperty("sslmode", isEncrypted(env) ? "verify-ca" : "disable");
            if (isEncrypted(env)) {
                properties.setProperty("sslrootcert", Driver.required(env, "DB_CA"));
            }
        }
    },
    MYSQL(
            "mysql",
            "connector-j",
            "SLEEP(2)",
            "SELECT @@version, LOWER(REPLACE(@@transaction_isolation, '-', ' ')),"
                    + " IF(@@innodb_flush_log_at_trx_commit = 1, 'on', 'off'), v.VARIABLE_VALUE <> '',"
                    + " NULLIF(v.VARIABLE_VALUE, ''), NULLIF(c.VARIABLE_VALUE, '')"
                    + " FROM performance_schema.session_status v JOIN performance_schema.session_status c"
                    + " ON c.VARIABLE_NAME = 'Ssl_cipher' WHERE v.VARIABLE_NAME = 'Ssl_version'") {
        @Override
        void limit(Properties properties, int timeoutMs) {
            properties.setProperty("connectTimeout", Integer.toString(timeoutMs));
        }

        @Override
        void configure(Properties properties, Map<String, String> env) {
            // As pgjdbc does by itself: statements are prepared once by the server and kept.
            properties.setProperty("useServerPrepStmts", "true");
            properties.setProperty("cachePrepStmts", "true");
            properties.setProperty("sslMode", isEncrypted(env) ? "VERIFY_CA" : "DISABLED");
            if (isEncrypted(env)) {
                properties.setProperty("trustCertificateKeyStoreUrl", "file:" + Driver.required(env, "DB_CA_STORE"));
                properties.setProperty("trustCertificateKeyStoreType", "PKCS12");
                properties.setProperty(
                        "trustCertificateKeyStorePassword", Driver.required(env, "DB_CA_STORE_PASSWORD"));
            }
        }
    };

    private final String scheme;
    private final String driver;
    private final String sleep;
    private final String environment;

    Engine(String scheme, String driver, String sleep, String environment) {
        this.scheme = scheme;
        this.driver = driver;
        this.sleep = sleep;
        this.environment = environment;
    }

    /** How long a connection may take to open, in the driver's own words. */
    abstract void limit(Properties properties, int timeoutMs);

    /** TLS and statements in the driver's own words. */
    abstract void configure(Properties properties, Map<String, String> env);

    static Engine of(Map<String, String> env) {
        return switch (env.getOrDefault("DB_ENGINE", "pg")) {
            case "pg" -> PG;
            case "mysql" -> MYSQL;
            case String other -> throw new IllegalArgumentException("DB_ENGINE must be pg or mysql, not " + other + ".");
        };
    }

    private static boolean isEncrypted(Map<String, String> env) {
        return env.getOrDefault("DB_TLS", "off").equals("require");
    }

    String scheme() {
        return scheme;
    }

    String driver() {
        return driver;
    }

    /** An expression that takes two seconds. */
    public String sleep() {
        return sleep;
    }

    /** Version, isolation, durability of commits, and the TLS of the asking session. */
    String environment() {
        return environment;
    }
}
