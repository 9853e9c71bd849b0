package org.plumbline.app.plumbing;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import jakarta.annotation.PostConstruct;
import java.sql.SQLException;
import org.plumbline.domain.Connections;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;
import org.springframework.stereotype.Component;

/** The settings and the pool as they are now; HikariCP opens its connections in the background, so the start waits here. */
@Component
public class Pool {
    private final HikariDataSource dataSource;
    private final Settings settings = Settings.from(System.getenv());

    Pool(HikariDataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Holds every connection at once, which proves that all are open; the port opens afterwards. */
    @PostConstruct
    void fill() throws SQLException {
        if (!settings.database().warmUp()) {
            return;
        }
        Connections.openAll(dataSource, dataSource.getMaximumPoolSize());
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
}
