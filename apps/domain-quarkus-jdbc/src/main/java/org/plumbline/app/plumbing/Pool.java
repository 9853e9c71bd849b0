package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.AgroalDataSourceMetrics;
import io.agroal.api.configuration.AgroalDataSourceConfiguration;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.sql.SQLException;
import java.util.concurrent.TimeoutException;
import org.plumbline.domain.Connections;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

/** The settings and the pool as they are now; Agroal opens its connections in the background, so the start waits here. */
@ApplicationScoped
public class Pool {
    /** SQLSTATE classes of a connection that broke and of a server that shuts down. */
    private static final String CONNECTION = "08";

    private static final String OPERATOR_INTERVENTION = "57";

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

    /**
     * Agroal tells how many connections are open only while its metrics are on, which cost two readings of the clock a
     * borrowing; so they are on for this reading alone. Those lent are not told: of them Agroal counts what changed since.
     */
    public synchronized Environment.Pool now() {
        AgroalDataSourceConfiguration configuration = dataSource.getConfiguration();
        configuration.setMetricsEnabled(true);
        try {
            AgroalDataSourceMetrics seen = dataSource.getMetrics();
            return new Environment.Pool(configured(), (int) (seen.activeCount() + seen.availableCount()), null);
        } finally {
            configuration.setMetricsEnabled(false);
        }
    }

    /** Full, unless it is left to requests to fill it. */
    public boolean ready() {
        return !settings.database().warmUp() || now().full();
    }

    /** Tells a broken connection, a server that shuts down, or none within the timeout from other failures. */
    public static boolean isGone(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                return true;
            }
            if (cause instanceof SQLException said
                    && said.getSQLState() != null
                    && (said.getSQLState().startsWith(CONNECTION)
                            || said.getSQLState().startsWith(OPERATOR_INTERVENTION))) {
                return true;
            }
        }
        return false;
    }

    private int configured() {
        return dataSource.getConfiguration().connectionPoolConfiguration().maxSize();
    }
}
