package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration;
import jakarta.enterprise.context.ApplicationScoped;

/** The setting profile, by the pool that runs: a file that nobody read shows. */
@ApplicationScoped
public class Tuning {
    private final AgroalDataSource dataSource;

    Tuning(AgroalDataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** {@code tuned}, where nothing watches for statements that nobody closed, else {@code defaults}, if the pool grows. */
    String profile() {
        AgroalConnectionPoolConfiguration pool = dataSource.getConfiguration().connectionPoolConfiguration();
        if (!pool.connectionFactoryConfiguration().trackJdbcResources()) {
            return "tuned";
        }
        return pool.minSize() == pool.maxSize() ? "parity" : "defaults";
    }
}
