package org.plumbline.app.plumbing;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micronaut.jdbc.DataSourceResolver;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.executor.ExecutorConfiguration;
import io.micronaut.scheduling.executor.ExecutorType;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import javax.sql.DataSource;

/** The setting profile, by the pool that runs and by what workers were given: a file that nobody read shows. */
@Singleton
class Tuning {
    private static final long USUAL_TIMEOUT_MS = new HikariConfig().getConnectionTimeout();

    private final HikariDataSource dataSource;
    private final ExecutorConfiguration workers;

    Tuning(
            DataSource dataSource,
            DataSourceResolver resolver,
            @Named(TaskExecutors.IO) ExecutorConfiguration workers) {
        this.dataSource = (HikariDataSource) resolver.resolve(dataSource);
        this.workers = workers;
    }

    /** {@code tuned}, {@code parity}, {@code defaults}, or what is none of them. */
    String profile() {
        boolean switches = dataSource.isAutoCommit();
        boolean itsOwn = dataSource.getConnectionTimeout() == USUAL_TIMEOUT_MS;
        boolean isFixed = workers.getType() == ExecutorType.FIXED;
        if (!switches && !itsOwn && isFixed && workers.getNumberOfThreads() == dataSource.getMaximumPoolSize()) {
            return "tuned";
        }
        if (switches && !isFixed) {
            return itsOwn ? "defaults" : "parity";
        }
        return "workers %s, autocommit %s, timeout %d ms"
                .formatted(workers.getType(), switches, dataSource.getConnectionTimeout());
    }
}
