package org.plumbline.app.plumbing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** How connections are opened, as the variables say. */
public final class Driver {
    private final String url;
    private final Properties properties = new Properties();
    private final String tls;
    private final long timeoutMs;

    public Driver(Map<String, String> env) {
        tls = env.getOrDefault("DB_TLS", "off");
        timeoutMs = Long.parseLong(env.getOrDefault("DB_TIMEOUT_MS", "3000"));
        properties.setProperty("user", required(env, "DB_USER"));
        properties.setProperty("password", required(env, "DB_PASSWORD"));
        String seconds = Long.toString(Math.max(1, TimeUnit.MILLISECONDS.toSeconds(timeoutMs)));
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("loginTimeout", seconds);
        switch (tls) {
            case "off" -> properties.setProperty("sslmode", "disable");
            case "require" -> {
                properties.setProperty("sslmode", "verify-ca");
                properties.setProperty("sslrootcert", required(env, "DB_CA"));
            }
            default -> throw new IllegalArgumentException("DB_TLS must be off or require, not " + tls + ".");
        }
        url = "jdbc:postgresql://" + required(env, "DB_HOST") + ":" + required(env, "DB_PORT") + "/"
                + required(env, "DB_NAME");
    }

    /** A connection ready for read-only transactions at read committed. */
    Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(url, properties);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setReadOnly(true);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Whatever the other side says, it is gone afterwards. */
    void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException closedAlready) {
            System.err.println("closing a broken connection: " + closedAlready.getMessage());
        }
    }

    long timeoutMs() {
        return timeoutMs;
    }

    String tls() {
        return tls;
    }

    static String required(Map<String, String> env, String name) {
        String value = env.get(name);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException(name + " must be set.");
        }
        return value;
    }
}
