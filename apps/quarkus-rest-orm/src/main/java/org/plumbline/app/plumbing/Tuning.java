package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.OptionalInt;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.hibernate.SessionFactory;
import org.hibernate.engine.spi.SessionFactoryImplementor;

/** The setting profile, by the pool that runs and by the size that workers were given: a file that nobody read shows. */
@ApplicationScoped
public class Tuning {
    private final AgroalDataSource dataSource;
    private final SessionFactory sessions;
    private final OptionalInt workers;

    Tuning(
            AgroalDataSource dataSource,
            SessionFactory sessions,
            @ConfigProperty(name = "quarkus.thread-pool.max-threads") OptionalInt workers) {
        this.dataSource = dataSource;
        this.sessions = sessions;
        this.workers = workers;
    }

    /** The setting second-level-cache, which the build decided. */
    String secondLevelCache() {
        return sessions.unwrap(SessionFactoryImplementor.class)
                        .getSessionFactoryOptions()
                        .isSecondLevelCacheEnabled()
                ? "on"
                : "off";
    }

    /** {@code tuned}, {@code parity}, {@code defaults}, whose pool grows, or what is none of them. */
    String profile() {
        AgroalConnectionPoolConfiguration pool = dataSource.getConfiguration().connectionPoolConfiguration();
        boolean watched = pool.connectionFactoryConfiguration().trackJdbcResources();
        if (!watched && workers.equals(OptionalInt.of(pool.maxSize()))) {
            return "tuned";
        }
        if (watched && workers.isEmpty()) {
            return pool.minSize() == pool.maxSize() ? "parity" : "defaults";
        }
        return "workers %s, statements watched %s".formatted(workers, watched);
    }
}
