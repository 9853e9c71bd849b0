package org.plumbline.app.plumbing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import java.sql.SQLException;
import org.plumbline.domain.Connections;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

/** The settings and the pool as they are now; HikariCP opens its connections in the background, so the start waits here. */
@ApplicationScoped
public class Pool {
    @Inject
    @Named("fruits")
    private HikariDataSource dataSource;

    private final Settings settings = Settings.from(System.getenv());

    /** Holds every connection at once, which proves that all are open; Helidon opens the port as the last of these observers. */
    void fill(@Observes @Initialized(ApplicationScoped.class) Object start) throws SQLException {
        if (settings.database().warmUp()) {
            Connections.openAll(dataSource, dataSource.getMaximumPoolSize());
        }
    }

    public Settings settings() {
        return settings;
    }

    public Environment.Pool now() {
        HikariPoolMXBean pool = dataSource.getHikariPoolMXBean();
        return new Environment.Pool(
                dataSource.getMaximumPoolSize(), pool.getTotalConnections(), pool.getActiveConnections());
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !settings.database().warmUp() || now().full();
    }

    /** The environment with what this pool shows of its settings: HikariCP's own timeout is the one of the profile defaults. */
    public Environment addTo(Environment environment) {
        boolean own = dataSource.getConnectionTimeout() == new HikariConfig().getConnectionTimeout();
        return environment
                .alsoUnderstood("profile", own ? "defaults" : "parity")
                .alsoUnderstood("pool_warm_up", settings.database().warmUpWord());
    }
}
