package org.plumbline.app.plumbing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** A fixed number of connections, all opened before it exists; a broken one is not replaced, and its answers fail. */
public final class Pool {
    private final BlockingQueue<Connection> idle;
    private final int configured;
    private final String tls;

    /** What is done inside a transaction. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    private Pool(BlockingQueue<Connection> idle, int configured, String tls) {
        this.idle = idle;
        this.configured = configured;
        this.tls = tls;
    }

    /** Opens all connections as the variables say. */
    public static Pool open(Map<String, String> env) throws SQLException {
        String tls = env.getOrDefault("DB_TLS", "off");
        Properties properties = new Properties();
        properties.setProperty("user", required(env, "DB_USER"));
        properties.setProperty("password", required(env, "DB_PASSWORD"));
        switch (tls) {
            case "off" -> properties.setProperty("sslmode", "disable");
            case "require" -> {
                properties.setProperty("sslmode", "verify-ca");
                properties.setProperty("sslrootcert", required(env, "DB_CA"));
            }
            default -> throw new IllegalArgumentException("DB_TLS must be off or require, not " + tls + ".");
        }
        String url = "jdbc:postgresql://" + required(env, "DB_HOST") + ":" + required(env, "DB_PORT") + "/"
                + required(env, "DB_NAME");
        int size = Integer.parseInt(required(env, "DB_POOL_SIZE"));
        BlockingQueue<Connection> connections = new ArrayBlockingQueue<>(size);
        for (int i = 0; i < size; i++) {
            Connection connection = DriverManager.getConnection(url, properties);
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            connections.add(connection);
        }
        return new Pool(connections, size, tls);
    }

    /** Runs the work in a read-only transaction; waits for a connection as long as it takes. */
    public <T> T reading(Work<T> work) throws SQLException, InterruptedException {
        Connection connection = idle.take();
        try {
            T result = work.on(connection);
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException failure) {
            connection.rollback();
            throw failure;
        } finally {
            idle.add(connection);
        }
    }

    int configured() {
        return configured;
    }

    int inUse() {
        return configured - idle.size();
    }

    String tls() {
        return tls;
    }

    private static String required(Map<String, String> env, String name) {
        String value = env.get(name);
        if (value == null || value.isEmpty()) {
            throw new IllegalArgumentException(name + " must be set.");
        }
        return value;
    }
}
