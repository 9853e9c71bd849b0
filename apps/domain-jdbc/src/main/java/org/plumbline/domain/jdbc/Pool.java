package org.plumbline.domain.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.Connection;
import java.sql.SQLException;
import org.plumbline.domain.Connections;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

/** HikariCP's connections, and the two kinds of transactions that run on them. */
public final class Pool {
    private final Settings.Database database;
    private final HikariDataSource connections;

    /** What is done with a connection. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    public Pool(Settings.Database database) {
        this.database = database;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://" + database.host() + ":" + database.port() + "/" + database.name());
        config.setUsername(database.user());
        config.setPassword(database.password());
        // The mode is always stated, since pgjdbc takes TLS by itself where the server offers it.
        // https://jdbc.postgresql.org/documentation/ssl/
        switch (database.tls()) {
            case OFF -> config.addDataSourceProperty("sslmode", "disable");
            case REQUIRE -> {
                config.addDataSourceProperty("sslmode", "verify-ca");
                config.addDataSourceProperty("sslrootcert", database.ca().toString());
            }
        }
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        // Every operation is a transaction. What it did not commit, HikariCP rolls back when the connection comes home.
        config.setAutoCommit(false);
        // In the profile defaults size and time are HikariCP's own.
        if (database.poolSize() > 0) {
            // Contract: minimum = maximum, opened at start.
            config.setMinimumIdle(database.poolSize());
            config.setMaximumPoolSize(database.poolSize());
            // Contract: nobody waits longer for a connection, be it out of the pool or a new one.
            config.setConnectionTimeout(database.timeoutMs());
        }
        connections = new HikariDataSource(config);
    }

    /** Holds every connection at once, which proves that all are open: HikariCP opens them in the background. */
    public void fill() throws SQLException {
        if (!database.warmUp()) {
            return;
        }
        Connections.openAll(connections, connections.getMaximumPoolSize());
    }

    /** Runs the work in a read-only transaction. */
    public <T> T reading(Work<T> work) throws SQLException {
        return inTransaction(work, true);
    }

    public <T> T writing(Work<T> work) throws SQLException {
        return inTransaction(work, false);
    }

    private <T> T inTransaction(Work<T> work, boolean isReadOnly) throws SQLException {
        try (Connection connection = connections.getConnection()) {
            connection.setReadOnly(isReadOnly);
            T result = work.on(connection);
            connection.commit();
            return result;
        }
    }

    public Environment.Pool now() {
        HikariPoolMXBean pool = connections.getHikariPoolMXBean();
        return new Environment.Pool(
                connections.getMaximumPoolSize(), pool.getTotalConnections(), pool.getActiveConnections());
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !database.warmUp() || now().full();
    }

    /** The environment with what this pool shows of its settings: HikariCP's own timeout is the one of the profile defaults. */
    public Environment addTo(Environment environment) {
        boolean own = connections.getConnectionTimeout() == new HikariConfig().getConnectionTimeout();
        return environment
                .alsoUnderstood("profile", own ? "defaults" : "parity")
                .alsoUnderstood("pool_warm_up", database.warmUpWord());
    }
}
