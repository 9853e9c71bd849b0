package org.plumbline.app.plumbing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;

/** How connections are opened, as the variables say. */
public final class Driver {
    private final Engine engine;
    private final String url;
    private final Properties properties = new Properties();
    private final String tls;
    private final int timeoutMs;

    public Driver(Map<String, String> env) {
        engine = Engine.of(env);
        tls = env.getOrDefault("DB_TLS", "off");
        if (!tls.equals("off") && !tls.equals("require")) {
            throw new IllegalArgumentException("DB_TLS must be off or require, not " + tls + ".");
        }
        timeoutMs = Integer.parseInt(env.getOrDefault("DB_TIMEOUT_MS", "3000"));
        properties.setProperty("user", required(env, "DB_USER"));
        properties.setProperty("password", required(env, "DB_PASSWORD"));
        engine.configure(properties, env);
        url = "jdbc:" + engine.scheme() + "://" + required(env, "DB_HOST") + ":" + required(env, "DB_PORT") + "/"
                + required(env, "DB_NAME");
    }

    Engine engine() {
        return engine;
    }

    /** A connection ready for read-only transactions at read committed; to open it may take so long. */
    Connection connect(int withinMs) throws SQLException {
        Properties all = new Properties();
        all.putAll(properties);
        engine.limit(all, withinMs);
        Connection connection = DriverManager.getConnection(url, all);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setReadOnly(true);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Without a word to the other side, which may not be there. */
    void abandon(Connection connection) throws SQLException {
        connection.abort(Runnable::run);
    }

    int timeoutMs() {
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
