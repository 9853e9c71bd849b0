package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;

/** The setting profile, by the pool that runs: a file that nobody read shows. */
@ApplicationScoped
public class Tuning {
    private final AgroalDataSource dataSource;

    Tuning(AgroalDataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** {@code tuned} or {@code parity}: whether the pool watches for statements that nobody closed. */
    String profile() {
        boolean watched = dataSource
                .getConfiguration()
                .connectionPoolConfiguration()
                .connectionFactoryConfiguration()
                .trackJdbcResources();
        return watched ? "parity" : "tuned";
    }
}
