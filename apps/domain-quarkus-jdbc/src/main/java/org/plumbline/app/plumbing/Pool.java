package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalDataSourceMetrics;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.SQLException;
import org.plumbline.domain.Connections;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

/** The settings and the pool as they are now; Agroal opens its connections in the background, so the start waits here. */
@ApplicationScoped
public class Pool {
    private final AgroalDataSource dataSource;
    private final Settings settings = Settings.from(System.getenv());

    Pool(AgroalDataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Holds every connection at once, which proves that all are open; the port opens afterwards. */
    void fill(@Observes StartupEvent start) throws SQLException {
        if (!settings.database().warmUp()) {
            return;
        }
        Connections.openAll(dataSource, configured());
    }

    public Settings settings() {
        return settings;
    }

    public Environment.Pool now() {
        AgroalDataSourceMetrics pool = dataSource.getMetrics();
        int inUse = (int) pool.activeCount();
        return new Environment.Pool(configured(), inUse + (int) pool.availableCount(), inUse);
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !settings.database().warmUp() || now().full();
    }

    private int configured() {
        return dataSource.getConfiguration().connectionPoolConfiguration().maxSize();
    }
}
