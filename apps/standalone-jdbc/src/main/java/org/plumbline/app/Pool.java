package org.plumbline.app;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;
import org.plumbline.domain.Connections;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Environment.Component;
import org.plumbline.domain.Environment.ServingThread;
import org.plumbline.domain.Settings;
import org.plumbline.domain.Sql;

/** The connections of the process, and what is to be said of them. */
final class Pool implements AutoCloseable {
    private final Settings settings;
    private final HikariDataSource connections;

    Pool(Settings settings) {
        this.settings = settings;
        Settings.Database database = settings.database();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://" + database.host() + ":" + database.port() + "/" + database.name());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setDataSourceProperties(tls(database));
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setMinimumIdle(database.poolSize());
        config.setMaximumPoolSize(database.poolSize());
        config.setConnectionTimeout(database.timeoutMs());
        connections = new HikariDataSource(config);
    }

    /** The mode is always stated, since pgjdbc takes TLS by itself where the server offers it. */
    private static Properties tls(Settings.Database database) {
        Properties properties = new Properties();
        switch (database.tls()) {
            case OFF -> properties.setProperty("sslmode", "disable");
            case REQUIRE -> {
                properties.setProperty("sslmode", "verify-ca");
                properties.setProperty("sslrootcert", database.ca().toString());
            }
        }
        return properties;
    }

    /** Holds every connection at once, which proves that all are open. */
    void fill() throws SQLException {
        Connections.openAll(connections, size());
    }

    Connection connection() throws SQLException {
        return connections.getConnection();
    }

    int size() {
        return connections.getMaximumPoolSize();
    }

    Environment environment() {
        try (Connection connection = connection();
                PreparedStatement statement = connection.prepareStatement(Sql.ENVIRONMENT);
                ResultSet row = statement.executeQuery()) {
            row.next();
            DatabaseMetaData about = connection.getMetaData();
            HikariPoolMXBean pool = connections.getHikariPoolMXBean();
            return Environment.of(
                    new Component("java", Runtime.version().toString()),
                    new Component(about.getDriverName(), about.getDriverVersion()),
                    ServingThread.current(),
                    new Environment.Pool(size(), pool.getTotalConnections(), pool.getActiveConnections()),
                    settings,
                    Environment.Database.seen(row));
        } catch (SQLException e) {
            throw new IllegalStateException("The database does not say what it is.", e);
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
